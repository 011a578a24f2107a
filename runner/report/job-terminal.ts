import { booksSum } from './books.ts';
import { columns } from './columns.ts';
import { plain, sentences } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import type { AnswerReport, JobReport, Money, RunReport } from './report.ts';
import { inSinks, sum } from './summary.ts';
import { ceiling, count, dateTime, many, percent, points, tokens, usd } from './text.ts';

/** A job's report on a terminal: what a person asks first. The page in `state/` has the rest. */
export function jobTerminal(report: JobReport, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const { run } = report;
  const sections = [
    headLines(report, paint),
    section('Waits', waitLines(report), paint),
    ...(run === null
      ? []
      : [
          section('What came back', listCameBack(run), paint),
          section('Needs a person', needLines(run), paint),
          section('Books', [booksLine(run, paint)], paint),
          section('Answers', answerLines(run.answers), paint),
          section(run.emulator ? 'Money (not spend)' : 'Money', moneyLines(run.money), paint),
        ]),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : [paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

function headLines(report: JobReport, paint: Paint): string[] {
  const { run, job, phase } = report;
  if (run === null) return [paint.bold(`${job}: ${phase}`)];
  const { items, dispositions } = run.books;
  const limit = run.money.perRunUsd === null ? '' : ` of ${ceiling(run.money.perRunUsd)}`;
  return [
    paint.bold(`${job} run ${run.run}: ${phase}`),
    ...(run.emulator
      ? [paint.yellow('Rehearsal: the emulator made these answers up; no money was spent.')]
      : []),
    `${count(inSinks(dispositions))} of ${count(items)} applied · ${usd(run.money.settledUsd)}${limit} · ${plain(run.reason, 160)}`,
  ];
}

function waitLines({ waits }: JobReport): string[] {
  return waits.map(({ what, waitsFor, until, command }) => {
    const time = until === null ? '' : ` (until ${dateTime(until)})`;
    const then = command === null ? '' : ` → ${plain(command, 160)}`;
    return `${plain(what, 100)}: ${plain(sentences(waitsFor), 200)}${time}${then}`;
  });
}

function listCameBack({ cameBack }: RunReport): string[] {
  if (cameBack === null) return [];
  const { causes, example } = cameBack;
  const rows = causes.map((each) => [count(each.attempts), each.class, plain(each.cause, 160)]);
  const words = example?.detail ?? example?.said ?? null;
  const one =
    example === null || words === null ? [] : [`row ${plain(example.key, 60)}: ${plain(words, 200)}`];
  return [...columns(rows, ['right']), ...one];
}

function needLines({ needs }: RunReport): string[] {
  return columns(
    needs.map((need) => [count(need.rows), need.class, plain(need.cause, 80), plain(need.next, 160)]),
    ['right'],
  );
}

function booksLine({ books }: RunReport, paint: Paint): string {
  const line = booksSum(books.items, books.dispositions);
  return books.balanced ? `${line} ${paint.green('✓')}` : paint.red(`DOES NOT BALANCE: ${line}`);
}

/** Values beyond these are counted: a terminal is for a look. */
const VALUES = 6;

function answerLines(answers: AnswerReport | null): string[] {
  const rows = (answers?.fields ?? []).flatMap((field) => {
    const total = sum(field.values.map((value) => value.count));
    const was = sum(field.values.map((value) => value.before ?? 0));
    const shown = field.values
      .slice(0, VALUES)
      .map((value, at) => [
        at === 0 ? plain(field.name, 30) : '',
        plain(value.value, 40),
        count(value.count),
        percent(value.count, total),
        value.before === null || was === 0 || total === 0
          ? ''
          : points((value.count / total) * 100, (value.before / was) * 100),
      ]);
    const rest = field.values.length - shown.length;
    return rest === 0 ? shown : [...shown, ['', many(rest, 'more value'), '', '', '']];
  });
  return columns(rows, ['left', 'left', 'right', 'right', 'right']);
}

function moneyLines(money: Money): string[] {
  const { estimate } = money;
  const rows = [
    [
      'estimated',
      tokens(estimate.inputTokens),
      tokens(estimate.outputTokens),
      usd(estimate.usd),
      `at most ${usd(estimate.ceilingUsd)}`,
    ],
    [
      'settled',
      tokens(money.settledInputTokens),
      tokens(money.settledOutputTokens),
      usd(money.settledUsd),
      '',
    ],
    ...((money.duplicateUsd ?? 0) === 0
      ? []
      : [['bought twice', '', '', usd(money.duplicateUsd ?? null), '']]),
    ...(money.assumedUsd === 0
      ? []
      : [['assumed', '', '', usd(money.assumedUsd), 'cost unknown, at its limit']]),
    ['reserved', '', '', usd(money.reservedUsd), ''],
    ['synchronous', '', '', usd(money.synchronousUsd), ''],
  ];
  return columns([['', 'in', 'out', '', ''], ...rows], ['left', 'right', 'right', 'right']);
}
