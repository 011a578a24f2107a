import { columns } from './columns.ts';
import type {
  AnswerDiff,
  DiffedRun,
  DiffView,
  FieldChange,
  PartChange,
  RowDiff,
  TextChange,
} from './diff-view.ts';
import { plain } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import { count, dateTime, many, percent, shortHex, usd } from './text.ts';

/** Values are cut here on a terminal; `--json` has them whole. */
const VALUE = 60;

/** `batchwright diff JOB RUN RUN`. */
export function diffTerminal(view: DiffView, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const { before, after, recipe, answers } = view;
  const sections = [
    [
      paint.bold(`${view.job}: run ${before.run} \u2192 run ${after.run}`),
      ...columns([runRow(before), runRow(after)], ['left', 'left', 'right', 'right']),
    ],
    section('Recipe', recipeLines(recipe), paint),
    section('Answers', answerLines(view), paint),
    section(rowsTitle(answers), answers.rows.flatMap(rowLines), paint),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : [paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

function runRow(run: DiffedRun): string[] {
  return [
    `  run ${run.run}`,
    dateTime(run.frozenAt),
    many(run.items, 'row'),
    usd(run.settledUsd),
    plain(run.model, 80),
    plain(run.reason, 100),
  ];
}

function recipeLines(recipe: readonly PartChange[]): string[] {
  if (recipe.length === 0)
    return ['no change: model, prompts, schema, output, input, source files and account are the same'];
  return recipe.flatMap(partLines);
}

function partLines({ part, before, after, fields, texts }: PartChange): string[] {
  const names =
    part === 'account' ? [plain(before ?? ''), plain(after ?? '')] : [digest(before), digest(after)];
  const order = part === 'schema' && fields.length === 0 ? ['  only the order of its properties'] : [];
  return [`${part}  ${names.join(' \u2192 ')}`, ...fields.map(fieldLine), ...texts.map(textLine), ...order];
}

function digest(text: string | null): string {
  return text === null ? 'none' : shortHex(text);
}

function fieldLine({ path, before, after }: FieldChange): string {
  return `  ${plain(path, 100)}: ${valueText(before)} \u2192 ${valueText(after)}`;
}

function valueText(value: FieldChange['before']): string {
  return value === undefined ? 'none' : plain(JSON.stringify(value), VALUE);
}

function textLine({ role, before, after, linesGone, linesNew }: TextChange): string {
  const path = plain((after ?? before)?.path ?? '', 100);
  const digests = `${digest(before?.digest ?? null)} \u2192 ${digest(after?.digest ?? null)}`;
  return `  ${plain(role, 60)} ${path}: ${digests}, ${many(linesGone, 'line')} gone, ${many(linesNew, 'line')} new`;
}

function answerLines({ before, after, answers }: DiffView): string[] {
  const { both, changed } = answers;
  return [
    `${many(both, 'key')} answered in both, ${count(changed)} of them differently${both === 0 ? '' : ` (${percent(changed, both)})`}`,
    ...only(answers.onlyBefore, answers.onlyBeforeGone, before.run, after.run),
    ...only(answers.onlyAfter, answers.onlyAfterGone, after.run, before.run),
    ...answers.properties.flatMap((property) => [
      `${plain(property.property, VALUE)}: ${count(property.changed)} changed`,
      ...columns(
        property.moves.map((move) => [
          count(move.count),
          `${shown(move.before)} \u2192 ${shown(move.after)}`,
        ]),
        ['right'],
      ).map((line) => `  ${line}`),
    ]),
  ];
}

function only(keys: number, gone: number, run: number, other: number): string[] {
  if (keys === 0) return [];
  const unanswered = keys - gone;
  const parts = [
    ...(gone === 0 ? [] : [`${count(gone)} not in the input of run ${other}`]),
    ...(unanswered === 0 ? [] : [`${count(unanswered)} without an answer there`]),
  ];
  return [`${many(keys, 'key')} answered in run ${run} only: ${parts.join(', ')}`];
}

function rowsTitle({ changed, rows }: AnswerDiff): string {
  return rows.length < changed
    ? `The first ${rows.length} of ${count(changed)} changed rows`
    : 'Changed rows';
}

function rowLines({ key, before, after }: RowDiff): string[] {
  return [plain(key, 120), ...differences(before, after).map((line) => `  ${line}`)];
}

/** Property by property where both are objects, else whole. */
function differences(before: string, after: string): string[] {
  const [one, other] = [objectOf(before), objectOf(after)];
  if (one === null || other === null) return [`${shown(before)} \u2192 ${shown(after)}`];
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names]
    .filter((name) => one.get(name) !== other.get(name))
    .map(
      (name) =>
        `${plain(name, VALUE)}: ${shown(one.get(name) ?? null)} \u2192 ${shown(other.get(name) ?? null)}`,
    );
}

function objectOf(answer: string): Map<string, string> | null {
  const value = JSON.parse(answer) as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value).map(([name, inner]) => [name, JSON.stringify(inner)]));
}

/** A JSON string stands without its quotes: most values are words. */
function shown(json: string | null): string {
  if (json === null) return 'none';
  const value = JSON.parse(json) as unknown;
  return plain(typeof value === 'string' ? value : json, VALUE);
}
