import { columns } from './columns.ts';
import { plain, sentences } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import { many } from './text.ts';
import type { Check, CheckState, Verification } from './verify-view.ts';

/** `batchwright verify`: a line for each check, under it what is wrong and what to do; at the end how many held. */
export function verifyTerminal({ checks }: Verification, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const jobs = [...new Set(checks.map(({ job }) => job))];
  const sections = jobs.map((job) => {
    const own = checks.filter((check) => check.job === job);
    return [...(job === null ? [] : [paint.bold(job)]), ...checkLines(own, paint)].join('\n');
  });
  return `${[...sections, tally(checks, paint)].join('\n\n')}\n`;
}

function checkLines(checks: readonly Check[], paint: Paint): string[] {
  const table = columns(
    checks.map((check) => [
      `${mark(check.state, paint)} ${nameOf(check)}`,
      plain(sentences(check.message), 300),
    ]),
  );
  return checks.flatMap((check, at) => [table[at] ?? '', ...underLines(check)]);
}

function mark(state: CheckState, paint: Paint): string {
  switch (state) {
    case 'proved':
      return paint.green('\u2713');
    case 'open':
      return paint.cyan('\u2022');
    case 'wrong':
    case 'lost':
      return paint.red('\u2717');
    default:
      return state satisfies never;
  }
}

/** A run is named by its number, everything else by the check and what it looked at. */
function nameOf({ check, subject }: Check): string {
  if (check === 'run') return subject;
  return subject === '' ? check : `${check} ${plain(subject, 60)}`;
}

/** A thousand files may be gone at once; `--json` names them all. */
const DETAILS = 10;

function underLines({ details, next }: Check): string[] {
  const shown = details.slice(0, DETAILS).map((detail) => `    ${plain(sentences(detail), 300)}`);
  const rest = details.length - shown.length;
  return [
    ...shown,
    ...(rest === 0 ? [] : [`    and ${rest} more`]),
    ...(next === null ? [] : [`    \u2192 ${plain(next, 300)}`]),
  ];
}

function tally(checks: readonly Check[], paint: Paint): string {
  const count = (...states: readonly CheckState[]) =>
    checks.filter(({ state }) => states.includes(state)).length;
  const [bad, open] = [count('wrong', 'lost'), count('open')];
  const parts = [
    many(checks.length, 'check'),
    `${count('proved')} proved`,
    ...(open === 0 ? [] : [`${open} not finished`]),
    ...(bad === 0 ? [] : [paint.red(`${bad} failed`)]),
  ];
  return parts.join(', ');
}
