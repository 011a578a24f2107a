import type { Rest } from '../plan/action.ts';
import { columns } from './columns.ts';
import { plain } from './escape.ts';
import { painter } from './paint.ts';
import type { FleetReport, JobReport } from './report.ts';
import { inSinks, knownSum, sum } from './summary.ts';
import { brokenLines, jobLines, type TerminalOptions } from './terminal.ts';
import { many, usd } from './text.ts';

export interface RehearsalOptions extends TerminalOptions {
  readonly reports: readonly {
    readonly job: string;
    readonly path: string;
    readonly sinks: readonly string[];
  }[];
  /** Why the last pass left jobs alone. */
  readonly rests: readonly Rest[];
  /** How many actions were carried out, over all passes. */
  readonly done: number;
  /** What goes on with this rehearsal. */
  readonly command: string;
  /** A person stopped it. */
  readonly interrupted: boolean;
}

/** The end of `npm start`: what there is now, where to read it, and plainly what it is not. */
export function rehearsalSummary(fleet: FleetReport, options: RehearsalOptions): string {
  const { color, reports, command, interrupted } = options;
  const paint = painter(color);
  const lines = [
    paint.bold(interrupted ? interruptedLine(command) : headline(fleet, options)),
    ...jobLines(fleet.jobs, paint),
    ...brokenLines(fleet, paint),
    '',
    paint.yellow(
      'This was a rehearsal: the emulator made these answers up, no model was asked, and no money was spent.',
    ),
    ...(isIdle(fleet, options) && !interrupted ? [`To see it all again: ${command} --fresh`] : []),
    '',
    'Read next:',
    ...columns(
      reports.map(({ job, path, sinks }) => [
        `  ${plain(job)}`,
        paint.cyan(plain(path)),
        paint.cyan(plain(sinks.join(' '))),
      ]),
    ),
    ...lookCloser(fleet).map((line) => `Look closer: ${paint.cyan(line)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function interruptedLine(command: string): string {
  return `Interrupted. No batch was cancelled and nothing is lost; the same command goes on: ${plain(command)}`;
}

/** A command to copy, for a job that has answers. */
function lookCloser({ jobs }: FleetReport): string[] {
  const answered = jobs.filter(({ run }) => run !== null && inSinks(run.books.dispositions) > 0);
  const job = answered.at(-1)?.job;
  return job === undefined ? [] : [`batchwright results ${job} --rehearsal`];
}

function headline(fleet: FleetReport, options: RehearsalOptions): string {
  if (fleet.jobs.length === 0) return 'Nothing to rehearse: there are no jobs.';
  if (isIdle(fleet, options) && fleet.broken.length > 0)
    return 'Nothing to do for the jobs that can be read; see below for the others.';
  if (isIdle(fleet, options)) return 'Nothing to do: every job is as git asks for.';
  const left = unfinished(fleet, options);
  const done = fleet.jobs.filter(({ job }) => !left.has(job));
  if (done.length === 0) return 'No job is finished; see below why.';
  const rest = left.size === 0 ? '' : `; ${many(left.size, 'job')} not finished, see below`;
  return `${doneText(done)}${rest}.`;
}

function isIdle(fleet: FleetReport, options: RehearsalOptions): boolean {
  return fleet.jobs.length > 0 && options.done === 0 && unfinished(fleet, options).size === 0;
}

/** Jobs that a gate, a suspension, the provider or a person holds back. */
function unfinished({ jobs }: FleetReport, { rests }: RehearsalOptions): ReadonlySet<string> {
  const held = new Set<string>(rests.filter(({ kind }) => kind !== 'idle').map(({ job }) => job));
  return new Set(jobs.filter(({ job, run }) => held.has(job) || run === null).map(({ job }) => job));
}

function doneText(jobs: readonly JobReport[]): string {
  const runs = jobs.flatMap(({ run }) => (run === null ? [] : [run]));
  const answers = sum(runs.map(({ books }) => inSinks(books.dispositions)));
  const cost = knownSum(runs.map(({ money }) => money.settledUsd));
  const applied = `${many(answers, 'answer')} applied`;
  return `${many(runs.length, 'job')} rehearsed, ${applied}; the real work would cost ${usd(cost)}`;
}
