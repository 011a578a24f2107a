import { type Markdown, md } from './escape.ts';
import { fenced } from './fence.ts';
import { planSections } from './plan-markdown.ts';
import { isEmpty } from './plan-sum.ts';
import type { PlanView } from './plan-view.ts';

/** The first line: by it a workflow finds the comment that it wrote before. */
export const COMMENT_MARK = '<!-- batchwright plan -->';
/** The second line where there is nothing to say: then no comment is made, and one that is there is edited. */
export const NO_CHANGES = '<!-- no changes -->';

/** GitHub takes 65,536 characters; some are left for what stands round the text. */
const MOST_CHARACTERS = 60_000;

/**
 * The plan as a comment on a pull request. Nobody types a command there: merging carries it out. `problems`: what is
 * wrong in files, as `validate` prints it; empty where nothing is. What has no room is left out, last things first, and
 * said to be.
 */
export async function planComment(view: PlanView, problems: string): Promise<string> {
  const marks = problems === '' && isEmpty(view) ? [COMMENT_MARK, NO_CHANGES] : [COMMENT_MARK];
  const sections = [...(problems === '' ? [] : [problemSection(problems)]), ...(await planSections(view))];
  return `${[marks.join('\n'), ...fitting(sections)].join('\n\n')}\n`;
}

function problemSection(problems: string): Markdown {
  const lines = problems.trimEnd().split('\n').slice(0, MOST_PROBLEM_LINES);
  return md`**Mistakes in files**\n\n${fenced('text', lines)}`;
}

const MOST_PROBLEM_LINES = 200;

function fitting(sections: readonly Markdown[]): string[] {
  const kept: string[] = [];
  let room = MOST_CHARACTERS;
  for (const section of sections) {
    if (section.length > room) continue;
    kept.push(section);
    room -= section.length + 2;
  }
  const hidden = sections.length - kept.length;
  return hidden === 0 ? kept : [...kept, `_${hidden} more sections stand in the log of the run._`];
}
