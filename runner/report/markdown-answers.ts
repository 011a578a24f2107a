import { code, joined, type Markdown, md, words } from './escape.ts';
import type { AnswerReport, RunReport, SampleRow } from './report.ts';
import { openRows, sum } from './summary.ts';
import { type Cell, left, right, table } from './table.ts';
import { count, type Figure, many, percent, points } from './text.ts';

/** What the answers say: the part that an expert opens the page for. */
export function answersSection(run: RunReport): Markdown | null {
  const parts = [...fieldTables(run), comparison(run.answers), origin(run), samples(run.sample)];
  const shown = parts.filter((part) => part !== null);
  return shown.length === 0 ? null : md`## Answers\n\n${joined(shown, '\n\n')}`;
}

type Field = AnswerReport['fields'][number];

/** Tables beyond these are folded. */
const OPEN_FIELDS = 3;
/** Values beyond these are one line. */
const VALUES = 12;

function fieldTables({ answers, run }: RunReport): Markdown[] {
  if (answers === null) return [];
  const tables = answers.fields.map((field) => fieldTable(field, run, answers.before?.run ?? null));
  const open = tables.slice(0, OPEN_FIELDS);
  const folded = tables.slice(OPEN_FIELDS);
  if (folded.length === 0) return open;
  const summary = many(folded.length, 'more property', 'more properties');
  return [...open, md`<details><summary>${summary}</summary>\n\n${joined(folded, '\n\n')}\n\n</details>`];
}

function fieldTable(field: Field, run: number, before: number | null): Markdown {
  const name = left`${words(field.name, 40)}`;
  const total = sum(field.values.map((value) => value.count));
  if (before === null) {
    const rows = withRest(field.values).map(({ value, count: n }) => [
      label(value),
      count(n),
      percent(n, total),
    ]);
    return table([name, right`answers`, right`share`], rows);
  }
  const was = sum(field.values.map((value) => value.before ?? 0));
  const rows = withRest(field.values).map((value): Cell[] => [
    label(value.value),
    count(value.count),
    percent(value.count, total),
    percent(value.before ?? 0, was),
    change(value.count, total, value.before ?? 0, was),
  ]);
  const heads = [name, right`answers`, right`run ${count(run)}`, right`run ${count(before)}`, right`change`];
  return table(heads, rows);
}

type Value = Omit<Field['values'][number], 'value'> & { readonly value: string | number };

/** A number instead of a value: so many more values, added up. */
function withRest(values: Field['values']): readonly Value[] {
  if (values.length <= VALUES + 1) return values;
  const rest = values.slice(VALUES);
  const before = rest.some((value) => value.before === null) ? null : sum(rest.map((v) => v.before ?? 0));
  return [...values.slice(0, VALUES), { value: rest.length, count: sum(rest.map((v) => v.count)), before }];
}

function label(value: string | number): Markdown {
  return typeof value === 'number' ? md`*${many(value, 'more value')}*` : words(value, 40);
}

function change(now: number, total: number, before: number, was: number): Figure | '' {
  return total === 0 || was === 0 ? '' : points((now / total) * 100, (before / was) * 100);
}

function comparison(answers: AnswerReport | null): Markdown | null {
  const before = answers?.before ?? null;
  if (before === null || before.keysInBoth === 0) return null;
  const share = percent(before.changed, before.keysInBoth);
  const move = before.topMove;
  const most =
    move === null ? md`` : md`, most ${words(move.from, 40)} → ${words(move.to, 40)} (${count(move.count)})`;
  return md`Of ${many(before.keysInBoth, 'key')} answered in run ${count(before.run)} too, ${count(before.changed)} changed (${share})${most}.`;
}

/** Who answered, whether the canary vouched for it, and where the answers lie. */
function origin(run: RunReport): Markdown | null {
  const sinks = run.sinks.map((sink) => md`${code(sink.path, 120)} (${many(sink.rows, 'row')})`);
  const parts = [
    ...(run.canary === null ? [] : [canary(run.canary, run.stop !== null)]),
    served(run),
    ...(sinks.length === 0 ? [] : [md`written to ${joined(sinks, ', ')}`]),
  ];
  return joined(parts, ' · ');
}

function canary(
  { items, ok, judged, passed }: NonNullable<RunReport['canary']>,
  isStopped: boolean,
): Markdown {
  const of = md`canary ${count(ok)} of ${count(items)} ok`;
  if (!judged) return isStopped ? md`**no verdict of the canary**` : md`canary of ${count(items)} under way`;
  return passed ? of : md`**${of}: too few, the rest is not sent**`;
}

function served({ servedModels, askedModel, books }: RunReport): Markdown {
  const models = Object.entries(servedModels).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const [only] = models;
  if (only === undefined) return md`asked of ${code(askedModel)}, ${unanswered(books)}`;
  if (models.length === 1) return md`served by ${code(only[0])} for all`;
  const each = models.map(([name, n]) => md`${code(name)} (${count(n)})`);
  return md`asked of ${code(askedModel)}, **served by several models**: ${joined(each, ', ')}`;
}

function unanswered({ dispositions }: RunReport['books']): Markdown {
  return openRows(dispositions) > 0 ? md`not answered yet` : md`no answer`;
}

/** Rows and properties of the sample that a page can hold; the sinks have them all. */
const SAMPLE_ROWS = 10;
const SAMPLE_COLUMNS = 6;

function samples(rows: readonly SampleRow[]): Markdown | null {
  const [first] = rows;
  if (first === undefined) return null;
  const names = first.values.slice(0, SAMPLE_COLUMNS).map(([name]) => name);
  const heads = [left`key`, ...names.map((name) => left`${words(name, 40)}`)];
  const shown = rows.slice(0, SAMPLE_ROWS);
  const hidden = first.values.length - names.length;
  const note = hidden === 0 ? md`` : md`; ${many(hidden, 'more property', 'more properties')} in the sinks`;
  const body = table(
    heads,
    shown.map((row) => sampleCells(row, names)),
  );
  return md`### A sample of ${count(shown.length)}, chosen by hash${note}\n\n${body}`;
}

function sampleCells(row: SampleRow, names: readonly string[]): Markdown[] {
  const texts = new Map(row.values);
  return [code(row.key, 40), ...names.map((name) => words(texts.get(name) ?? '', 160))];
}
