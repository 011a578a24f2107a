import { advice, joined, link, type Markdown, md, prose, words } from './escape.ts';
import type { FleetReport, JobReport, RunReport } from './report.ts';
import { demandOf, inSinks, rowsForPerson, type Standing, standingOf, sum, unsentReason } from './summary.ts';
import { type Cell, left, right, table } from './table.ts';
import { ceiling, count, dateTime, type Figure, many, percent, usd } from './text.ts';

/** More quiet jobs than this are folded away. */
const OPEN_QUIET = 12;

type Group = (standing: Standing) => readonly JobReport[];

/** `state/README.md`: every job on one page, those that need a person first. Same content, same bytes. */
export function fleetMarkdown(fleet: FleetReport): string {
  const groups = Map.groupBy(fleet.jobs, standingOf);
  const of: Group = (standing) => groups.get(standing) ?? [];
  const sections = [
    md`# All jobs`,
    rehearsal(fleet.jobs),
    headline(fleet, of),
    broken(fleet),
    people(of('person')),
    underWay(of('under way')),
    notSent(of('not sent')),
    quiet(of('quiet')),
    owners(fleet.jobs),
  ];
  return `${joined(
    sections.filter((section) => section !== null),
    '\n\n',
  )}\n`;
}

function rehearsal(jobs: readonly JobReport[]): Markdown | null {
  const runs = jobs.flatMap(({ run }) => (run === null ? [] : [run]));
  const rehearsed = runs.filter(({ emulator }) => emulator).length;
  if (rehearsed === 0) return null;
  const which = rehearsed === runs.length ? md`Every run here` : md`Runs marked *rehearsal*: each`;
  return md`> **Rehearsal.** ${which} was answered by the emulator and not by a model; none of its money is spend.`;
}

function headline(fleet: FleetReport, of: Group): Markdown {
  if (fleet.jobs.length === 0 && fleet.broken.length === 0) {
    return md`There are no jobs yet: \`batchwright new NAME --from FILE --key COLUMN\` writes one.`;
  }
  const person = of('person').length;
  const unsent = of('not sent').length;
  const parts = [
    md`${many(fleet.jobs.length, 'job')}`,
    person === 0
      ? md`none needs a person`
      : md`${count(person)} need${(person === 1 ? 's' : '') as Figure} a person`,
    md`${count(of('under way').length)} under way`,
    ...(unsent === 0 ? [] : [md`${count(unsent)} not sent yet`]),
    md`${count(of('quiet').length)} quiet`,
  ];
  return md`**${joined(parts, ' · ')}**`;
}

function broken({ broken: files }: FleetReport): Markdown | null {
  if (files.length === 0) return null;
  const rows = files.map(({ file, message }) => [words(file, 120), prose(message)]);
  return md`## Files that cannot be read as a job\n\n${table([left`file`, left`why`], rows)}`;
}

function people(jobs: readonly JobReport[]): Markdown | null {
  if (jobs.length === 0) return null;
  const heads = [left`job`, left`phase`, right`applied`, left`what is wrong`, left`next step`];
  const rows = byUrgency(jobs).map((report) => [
    name(report),
    phase(report),
    applied(report),
    trouble(report),
    next(report),
  ]);
  return md`## Needs a person\n\n${table(heads, rows)}`;
}

/** What stands still before what merely has rows to look at, and then by name. */
function byUrgency(jobs: readonly JobReport[]): readonly JobReport[] {
  const rank = (report: JobReport) => (standsStill(report) === null ? 1 : 0);
  return [...jobs].sort((a, b) => rank(a) - rank(b) || (a.job < b.job ? -1 : 1));
}

function standsStill(report: JobReport): Markdown | null {
  const demand = demandOf(report);
  if (demand !== null) return md`**${words(demand.reason)}**: ${prose(demand.message, 160)}`;
  return report.run !== null && !report.run.books.balanced ? md`**the books do not balance**` : null;
}

function trouble(report: JobReport): Markdown {
  const still = standsStill(report);
  if (still !== null || report.run === null) return still ?? md``;
  const { run } = report;
  const classes = run.needs
    .slice(0, 3)
    .map((need) => md`${count(need.rows)} ${need.class as string as Figure}`);
  const more = run.needs.length > 3 ? md`, …` : md``;
  return md`${many(rowsForPerson(run), 'row')}: ${joined(classes, ', ')}${more}`;
}

function next(report: JobReport): Markdown {
  const command = report.waits.find((wait) => wait.command !== null)?.command;
  if (command) return advice(command, 160);
  const [need] = report.run?.needs ?? [];
  return need === undefined || standsStill(report) !== null ? md`see its page` : prose(need.next, 160);
}

function underWay(jobs: readonly JobReport[]): Markdown | null {
  if (jobs.length === 0) return null;
  const heads = [
    left`job`,
    left`phase`,
    right`rows`,
    right`answered`,
    right`settled`,
    left`provider ends by (UTC)`,
  ];
  const rows = byName(jobs).map((report) =>
    report.run === null ? [name(report), phase(report), '', '', '', ''] : progressCells(report, report.run),
  );
  return md`## Under way\n\n${table(heads, rows as Cell[][])}`;
}

function progressCells(report: JobReport, run: RunReport): Cell[] {
  const done = sum(run.shards.map((shard) => shard.done)) + (run.books.dispositions.reused ?? 0);
  const ends = run.shards.flatMap(({ state, expiresAt }) =>
    state === 'settled' || expiresAt === null ? [] : [expiresAt],
  );
  const last = ends.sort().at(-1);
  return [
    name(report),
    phase(report),
    count(run.books.items),
    percent(Math.min(done, run.books.items), run.books.items),
    usd(run.money.settledUsd),
    last === undefined ? '' : dateTime(last),
  ];
}

function notSent(jobs: readonly JobReport[]): Markdown | null {
  if (jobs.length === 0) return null;
  const rows = byName(jobs).map((report) => [name(report), phase(report), prose(unsentReason(report), 160)]);
  return md`## Not sent yet\n\n${table([left`job`, left`phase`, left`why`], rows)}`;
}

function quiet(jobs: readonly JobReport[]): Markdown | null {
  if (jobs.length === 0) return null;
  const heads = [left`job`, left`phase`, right`run`, right`applied`, right`settled`, left`applied at (UTC)`];
  const body = table(heads, byName(jobs).map(quietCells));
  if (jobs.length <= OPEN_QUIET) return md`## Quiet\n\n${body}`;
  return md`## Quiet\n\n<details><summary>${many(jobs.length, 'job')}: nothing to do for anybody</summary>\n\n${body}\n\n</details>`;
}

function quietCells(report: JobReport): Cell[] {
  const { run } = report;
  if (run === null) return [name(report), phase(report), '', '', '', ''];
  const { appliedAt } = run.time;
  return [
    name(report),
    phase(report),
    count(run.run),
    applied(report),
    usd(run.money.settledUsd),
    appliedAt === null ? '' : dateTime(appliedAt),
  ];
}

function name(report: JobReport): Markdown {
  const to = link(words(report.job), `${report.job}/README.md`);
  return report.run?.emulator ? md`${to} *rehearsal*` : to;
}

function phase(report: JobReport): Figure {
  return report.phase as string as Figure;
}

function applied({ run }: JobReport): Cell {
  return run === null ? '' : md`${count(inSinks(run.books.dispositions))} of ${count(run.books.items)}`;
}

function byName(jobs: readonly JobReport[]): readonly JobReport[] {
  return [...jobs].sort((a, b) => (a.job < b.job ? -1 : 1));
}

/** What each owner has spent this month, real money only. */
function owners(jobs: readonly JobReport[]): Markdown | null {
  const money = new Map<string, RunReport['money']['owner']>();
  for (const { owner, run } of jobs) {
    if (run === null || run.emulator) continue;
    const known = money.get(owner);
    if (known === undefined || known.monthUsd < run.money.owner.monthUsd) money.set(owner, run.money.owner);
  }
  if (money.size === 0) return null;
  const rows = [...money]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([owner, { monthUsd, ofUsd }]) => [
      words(owner),
      usd(monthUsd),
      ofUsd === null ? md`no limit` : ceiling(ofUsd),
    ]);
  return md`## Owners\n\n${table([left`owner`, right`this month`, right`of`], rows)}`;
}
