import { columns } from './columns.ts';
import { plain } from './escape.ts';
import { painter } from './paint.ts';
import type { FleetReport } from './report.ts';
import { inSinks } from './summary.ts';
import { jobLines, type TerminalOptions } from './terminal.ts';
import { count, many, usd } from './text.ts';

export interface RehearsalOptions extends TerminalOptions {
  readonly reports: readonly { readonly job: string; readonly path: string }[];
  /** No pass had anything to do. */
  readonly nothingToDo: boolean;
}

/** The end of `npm start`: what there is now, where to read it, and plainly what it is not. */
export function rehearsalSummary(
  fleet: FleetReport,
  { color, reports, nothingToDo }: RehearsalOptions,
): string {
  const paint = painter(color);
  const lines = [
    nothingToDo ? paint.bold('Nothing to do: every job is as git asks for.') : paint.bold(doneLine(fleet)),
    ...jobLines(fleet.jobs, paint),
    '',
    paint.yellow(
      'This was a rehearsal: the emulator made these answers up, no model was asked, and no money was spent.',
    ),
    ...(nothingToDo ? ['To see it all again: batchwright rehearse --fresh'] : []),
    '',
    'Read next:',
    ...columns(reports.map(({ job, path }) => [`  ${plain(job)}`, paint.cyan(plain(path))])),
  ];
  return `${lines.join('\n')}\n`;
}

function doneLine({ jobs }: FleetReport): string {
  const runs = jobs.flatMap(({ run }) => (run === null ? [] : [run]));
  const answers = runs.reduce((sum, run) => sum + inSinks(run.books.dispositions), 0);
  const cost = runs.every(({ money }) => money.settledUsd !== null)
    ? runs.reduce((sum, { money }) => sum + (money.settledUsd ?? 0), 0)
    : null;
  return `${many(runs.length, 'job')} rehearsed, ${count(answers)} answers applied; the real work would cost ${usd(cost)}.`;
}
