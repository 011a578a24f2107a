import type { Instant } from '../ids.ts';
import { columns } from './columns.ts';
import { plain, sentences } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import type { FleetReport, JobReport, RunReport, Wait } from './report.ts';
import {
  demandOf,
  inSinks,
  openRows,
  rowsForPerson,
  type Standing,
  standingOf,
  unsentReason,
} from './summary.ts';
import { ceiling, clockTime, count, dateTime, many, usd } from './text.ts';

export { jobTerminal } from './job-terminal.ts';
export { changedLines, type ProgressOptions, progressLines } from './progress.ts';

export interface TerminalOptions {
  readonly color: boolean;
}

/** `batchwright status`: one line a job, under it what it waits for, at the end how many need a person. */
export function statusTerminal(
  fleet: FleetReport,
  { color, looks = [] }: TerminalOptions & { readonly looks?: readonly Look[] },
): string {
  const paint = painter(color);
  return text([
    ...jobLines(fleet.jobs, paint),
    ...brokenLines(fleet, paint),
    '',
    ...looks.map((look) => paint.dim(lookText(look))),
    tallyLine(fleet, paint),
  ]);
}

/** When the batches of a job were looked at, and when a reconciler that goes on running does so again. */
export interface Look {
  readonly job: string;
  readonly lookedAt: Instant | null;
  readonly nextLook: Instant | null;
}

function lookText({ job, lookedAt, nextLook }: Look): string {
  if (lookedAt === null || nextLook === null) return `${plain(job)}: the next pass looks at its batches`;
  return `${plain(job)}: looked at ${clockTime(lookedAt)}; with --watch again from ${clockTime(nextLook)} UTC on, else by the next pass`;
}

/** After a pass: the jobs that are not quiet, and how many are. */
export function fleetSummary(fleet: FleetReport, { color }: TerminalOptions): string {
  const paint = painter(color);
  const loud = fleet.jobs.filter((report) => standingOf(report) !== 'quiet');
  return text([...jobLines(loud, paint), ...brokenLines(fleet, paint), tallyLine(fleet, paint)]);
}

/** One aligned line for each job, under it what it waits for. */
export function jobLines(jobs: readonly JobReport[], paint: Paint): string[] {
  const table = jobTable(jobs, paint);
  return jobs.flatMap((report, at) => [
    table[at] ?? '',
    ...waitLines(report, paint),
    ...listCameBack(report, paint),
  ]);
}

function jobTable(jobs: readonly JobReport[], paint: Paint): string[] {
  return columns(
    jobs.map((report) => [
      paint.bold(report.job),
      phaseText(report, paint),
      ...(report.run === null ? ['', ''] : [appliedText(report.run), moneyText(report.run)]),
      remark(report, paint),
    ]),
    ['left', 'left', 'right', 'right'],
  );
}

function phaseText(report: JobReport, paint: Paint): string {
  switch (standingOf(report)) {
    case 'person':
      return paint.yellow(report.phase);
    case 'under way':
      return paint.cyan(report.phase);
    case 'not sent':
      return report.phase;
    case 'quiet':
      return report.phase === 'complete' ? paint.green(report.phase) : report.phase;
  }
}

function appliedText({ books }: RunReport): string {
  return `${count(inSinks(books.dispositions))} of ${count(books.items)} applied`;
}

function moneyText({ money, emulator }: RunReport): string {
  if (emulator) return `${usd(money.settledUsd)}, not spend`;
  const settled = usd(money.settledUsd);
  return money.perRunUsd === null ? settled : `${settled} of ${ceiling(money.perRunUsd)}`;
}

function remark(report: JobReport, paint: Paint): string {
  const { run } = report;
  if (run === null) return standingOf(report) === 'not sent' ? 'not sent yet' : '';
  if (!run.books.balanced) return paint.red('BOOKS DO NOT BALANCE');
  const open = openRows(run.books.dispositions);
  const rows = rowsForPerson(run);
  const parts = [
    ...(open === 0 ? [] : [`${count(open)} open`]),
    ...(rows === 0 ? [] : [paint.yellow(`${many(rows, 'row')} for a person`)]),
  ];
  return parts.join(', ');
}

/** At most three a job: its page has them all. */
const WAITS = 3;

function waitLines(report: JobReport, paint: Paint): string[] {
  const { waits } = report;
  if (waits.length === 0 && standingOf(report) === 'not sent') {
    return [`  ${paint.dim(unsentReason(report))}`];
  }
  const lines = waits.slice(0, WAITS).map((wait) => {
    const until = wait.until === null ? '' : ` (until ${dateTime(wait.until)})`;
    const then = wait.command === null ? '' : ` → ${plain(wait.command, 160)}`;
    return `  ${paint.dim(`${leadIn(wait, report)}${plain(sentences(wait.waitsFor), 200)}${until}`)}${then}`;
  });
  const rest = waits.length - lines.length;
  return rest === 0 ? lines : [...lines, paint.dim(`  and ${many(rest, 'more wait')}`)];
}

/** Enough to see what is wrong; the page has all of them, and one in full. */
const CAUSES = 2;

function listCameBack({ run }: JobReport, paint: Paint): string[] {
  const causes = run?.cameBack?.causes ?? [];
  if (causes.length === 0) return [];
  const shown = causes
    .slice(0, CAUSES)
    .map((each) => `${count(each.attempts)} ${each.class} (${plain(each.cause, 80)})`);
  const more = causes.length > CAUSES ? ', …' : '';
  return [`  ${paint.dim(`came back: ${shown.join(', ')}${more}`)}`];
}

/** A wait of the job itself says why in a sentence or in a few words; that of a shard names a thing. */
function leadIn({ what }: Wait, report: JobReport): string {
  if (what !== report.job) return `${plain(what, 100)}: waiting for `;
  if (report.phase === 'suspended') return '';
  return demandOf(report) === null ? 'waits: ' : 'held back: ';
}

/** Files that are overlooked since they cannot be read. */
export function brokenLines({ broken }: FleetReport, paint: Paint): string[] {
  return broken.map(
    ({ file, message }) => `${paint.red('not a job')}  ${plain(file, 200)}: ${plain(message, 300)}`,
  );
}

function tallyLine(fleet: FleetReport, paint: Paint): string {
  const standings = Map.groupBy(fleet.jobs, standingOf);
  const of = (standing: Standing) => standings.get(standing)?.length ?? 0;
  const person = of('person');
  const unsent = of('not sent');
  const parts = [
    many(fleet.jobs.length, 'job'),
    person === 0
      ? 'none needs a person'
      : paint.yellow(`${count(person)} need${person === 1 ? 's' : ''} a person`),
    `${count(of('under way'))} under way`,
    ...(unsent === 0 ? [] : [`${count(unsent)} not sent yet`]),
    `${count(of('quiet'))} quiet`,
  ];
  return parts.join(' · ');
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
