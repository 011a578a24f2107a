import { plain } from './escape.ts';
import { isEmpty } from './plan-sum.ts';
import { planTerminal } from './plan-terminal.ts';
import type { PlanView } from './plan-view.ts';

/** The first line: by it a workflow finds the comment that it wrote before. */
export const COMMENT_MARK = '<!-- batchwright plan -->';
/** The second line where there is nothing to say: then no comment is made, and one that is there is edited. */
export const NO_CHANGES = '<!-- no changes -->';

/** GitHub takes 65,536 characters; some are left for what stands round the text. */
const MOST_CHARACTERS = 60_000;

/**
 * The plan as a comment on a pull request: the text of the terminal in a fence, where no renderer looks for markup,
 * mentions or links. Nobody types a command there: merging carries it out. `problems`: what is wrong in files, as
 * `validate` prints it; empty where nothing is. Pure.
 */
export function planComment(view: PlanView, problems: string): string {
  const text = fenceable(
    [problems, planTerminal({ ...view, command: null }, { color: false })]
      .filter((part) => part !== '')
      .join('\n'),
  );
  const fence = '~'.repeat(Math.max(3, longestFence(text) + 1));
  const marks = problems === '' && isEmpty(view) ? [COMMENT_MARK, NO_CHANGES] : [COMMENT_MARK];
  return `${[...marks, '### Batchwright', '', `${fence}text`, shortened(text), fence].join('\n')}\n`;
}

/** Line by line: control and direction characters must not lie about what is there. */
function fenceable(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => plain(line))
    .join('\n');
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/~+/g)].map(([run]) => run.length));
}

function shortened(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const end = text.lastIndexOf('\n', MOST_CHARACTERS);
  const rest = text.slice(end + 1).split('\n').length;
  return `${text.slice(0, end)}\n… ${rest} more lines in the log of the run`;
}
