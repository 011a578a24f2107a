import { code, joined, type Markdown, md, prose, words } from './escape.ts';
import type { CameBack, RunReport } from './report.ts';
import { left, right, table } from './table.ts';
import { count, type Figure, many } from './text.ts';

/** Causes beyond these are added up. */
const CAUSES = 6;
/** Keys are shown to be recognised. */
const KEY_LENGTH = 32;

/** Why a canary has not passed, or why a batch stopped the run: by cause, and one of them in full. */
export function renderCameBack({ cameBack }: RunReport): Markdown | null {
  if (cameBack === null) return null;
  const title = cameBack.kind === 'canary' ? md`What the canary brought` : md`What came back`;
  const parts = [renderCauses(cameBack.causes), renderExample(cameBack)].filter((part) => part !== null);
  return md`## ${title}\n\n${joined(parts, '\n\n')}`;
}

function renderCauses(causes: CameBack['causes']): Markdown {
  const heads = [right`requests`, left`class`, left`cause`];
  const shown = causes
    .slice(0, CAUSES)
    .map((each) => [count(each.attempts), each.class as string as Figure, prose(each.cause, 160)]);
  const rest = causes.slice(CAUSES);
  const more = rest.length === 0 ? md`` : md`\n\nand ${many(rest.length, 'more cause')}`;
  return md`${table(heads, shown)}${more}`;
}

/** Enough of an answer to judge it by; held.csv has more, the raw file all of it. */
const ANSWER_LENGTH = 600;

function renderExample({ example: one }: CameBack): Markdown | null {
  if (one === null || (one.detail === null && one.said === null)) return null;
  const why = one.detail === null ? md`` : md`: ${words(one.detail, 400)}`;
  const said = one.said === null ? md`` : md`  \nThe model said: ${code(one.said, ANSWER_LENGTH)}`;
  return md`One of them, row ${code(one.key, KEY_LENGTH)}${why}${said}`;
}
