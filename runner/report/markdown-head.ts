import { advice, joined, link, type Markdown, md, prose, words } from './escape.ts';
import type { JobReport, RunReport } from './report.ts';
import { type Demand, demandOf, inSinks, openRows, rowsForPerson, standingOf } from './summary.ts';
import { ceiling, count, type Figure, many, usd } from './text.ts';

/** Where a page stands decides what it can link to. */
export type Page = 'job' | 'run';

/** Title, what the numbers are worth, what a person must do, and the figures in one bold line. */
export function headSection(report: JobReport, where: Page): Markdown {
  const { run } = report;
  const demand = demandOf(report);
  const lines = [
    title(report),
    run?.emulator ? rehearsal() : null,
    run !== null && !run.books.balanced ? unbalanced() : null,
    demand === null ? null : mustAct(demand),
    joined([...(run === null ? [] : [headline(report, run, where)]), about(report)], '  \n'),
  ];
  return joined(
    lines.filter((line) => line !== null),
    '\n\n',
  );
}

function title(report: JobReport): Markdown {
  const name = words(report.job);
  const phase = report.phase as string as Figure;
  if (report.run === null) return md`# ${name}: ${phase}`;
  const number = count(report.run.run);
  if (!report.run.books.balanced) return md`# ${name} · run ${number}: BOOKS DO NOT BALANCE (${phase})`;
  const isComplete = openRows(report.run.books.dispositions) === 0;
  return isComplete
    ? md`# ${name} · run ${number}: ${phase}, books balance`
    : md`# ${name} · run ${number}: ${phase}`;
}

/** On the first screen, before any figure: neither these answers nor this money are real. */
function rehearsal(): Markdown {
  return md`> **Rehearsal.** No model was asked: the emulator made these answers up from each request's schema. The money is what the real work would cost, and none of it is spend.`;
}

function unbalanced(): Markdown {
  return md`> **The books do not balance.** Some rows are counted twice or not at all. Do not use these answers before that is explained (see Books).`;
}

/** A job that stands still: what to do comes before the figures. */
function mustAct({ reason, message, next, goesOn }: Demand): Markdown {
  const why = md`${words(reason)}: ${prose(message)}`;
  if (goesOn)
    return md`> **It stands still. ${why}**${next === null ? md`` : md`  \n> ${advice(next, 400)}`}`;
  return next === null
    ? md`> **A person must act. ${why}**`
    : md`> **A person must act: ${advice(next, 400)}**  \n> ${why}`;
}

function headline(report: JobReport, run: RunReport, where: Page): Markdown {
  const { items, dispositions } = run.books;
  const rows = rowsForPerson(run);
  const open = openRows(dispositions);
  const parts = [
    md`${count(inSinks(dispositions))} of ${count(items)} applied`,
    spent(run),
    ...(open > 0 ? [md`${count(open)} open`] : []),
    ...(rows > 0 ? [md`${many(rows, 'row')} need${(rows === 1 ? 's' : '') as Figure} a person`] : []),
    ...(standingOf(report) === 'person' ? [] : [md`nothing needs a person`]),
  ];
  const held = rows > 0 && where === 'job' ? md` → ${link(md`held.csv`, 'held.csv')}` : md``;
  return md`**${joined(parts, ' · ')}**${held}`;
}

function spent({ money, emulator }: RunReport): Markdown {
  if (emulator) return md`$0 spent`;
  return money.perRunUsd === null
    ? md`${usd(money.settledUsd)}`
    : md`${usd(money.settledUsd)} of ${ceiling(money.perRunUsd)}`;
}

function about(report: JobReport): Markdown {
  const labels = Object.entries(report.labels).map(([name, value]) => md`${words(name)} ${words(value)}`);
  const reason = report.run === null ? [] : [prose(report.run.reason)];
  const line = joined([...reason, md`owner ${words(report.owner)}`, ...labels], ' · ');
  return report.description === null ? line : md`${line}\n\n${words(report.description)}`;
}
