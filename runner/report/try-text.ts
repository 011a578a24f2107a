import type { JsonObject } from '../ids.ts';
import { plain } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import { count, many, usd } from './text.ts';
import { sameAnswer, type TriedRow, type TryResult, type TryView } from './try-view.ts';

/** Characters of an answer on a terminal; `--json` has it whole. */
const SHOWN = 400;

/** `batchwright try JOB`: each row's answer, and under it that of the last run. */
export function tryTerminal(view: TryView, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const head = `${view.job}: ${many(view.rows.length, 'row')} asked of ${plain(view.model, 80)} at ${view.endpoint}`;
  const rows = view.rows.map((row) => rowLines(row, view.run, paint).join('\n'));
  return `${[paint.bold(head), ...rows, moneyLines(view).join('\n')].join('\n\n')}\n`;
}

function rowLines({ key, result, before }: TriedRow, run: number | null, paint: Paint): string[] {
  const lines = [`${paint.bold(plain(key, 80))}  ${stateOf(result, before, run)}`];
  const text = textOf(result);
  if (text !== null) lines.push(`  now    ${plain(text, SHOWN)}`);
  if (before === null) return lines;
  const isSame = result.kind === 'answered' && result.answer !== null && sameAnswer(result.answer, before);
  return isSame ? lines : [...lines, `  run ${run}  ${plain(before, SHOWN)}`];
}

function stateOf(result: TryResult, before: string | null, run: number | null): string {
  switch (result.kind) {
    case 'answered':
      if (result.class !== 'ok') return `${result.class}: ${plain(result.detail ?? result.cause, 200)}`;
      if (before === null) return run === null ? 'ok' : `ok, no answer in run ${run}`;
      return sameAnswer(result.answer ?? '', before)
        ? `ok, as in run ${run}`
        : `ok, other than in run ${run}`;
    case 'lost':
      return `its answer was lost: ${plain(result.message, 200)}`;
    case 'not_sent':
      return `not sent: ${plain(result.message, 200)}`;
    case 'not_asked':
      return 'not asked, since the first one was turned away';
    default:
      return result satisfies never;
  }
}

function textOf(result: TryResult): string | null {
  return result.kind === 'answered' ? (result.answer ?? result.said) : null;
}

function moneyLines({ usd: spent, unknownUsd, reservedUsd, emulator, pricesOf, rows }: TryView): string[] {
  const answered = rows.filter(({ result }) => result.kind === 'answered').length;
  const whose = emulator ? ' (of the emulator: it counts for nothing)' : '';
  const lost = unknownUsd > 0 ? `; up to ${usd(unknownUsd)} more, since nobody told` : '';
  return [
    `${count(answered)} answered for ${usd(spent)}${lost}, at most ${usd(reservedUsd)} was set aside${whose}. Synchronous prices of ${pricesOf}.`,
    'Nothing was applied: the next pass asks what the job says then.',
  ];
}

/** What `try --json` prints: `schemas/batchwright/try.schema.json`. */
export function tryJson(view: TryView): JsonObject {
  return {
    format: 'batchwright/try/v1',
    job: view.job,
    model: view.model,
    endpoint: view.endpoint,
    served_models: [...view.servedModels],
    emulator: view.emulator,
    compared_with_run: view.run,
    reserved_usd: view.reservedUsd,
    usd: view.usd,
    unknown_usd: view.unknownUsd,
    prices_of: view.pricesOf,
    rows: view.rows.map(rowJson),
  };
}

function rowJson({ key, result, before }: TriedRow): JsonObject {
  const answered = result.kind === 'answered' ? result : null;
  return {
    key,
    state: result.kind,
    class: answered?.class ?? null,
    cause: answered?.cause ?? null,
    detail: answered?.detail ?? ('message' in result ? result.message : null),
    answer: answered?.answer == null ? null : JSON.parse(answered.answer),
    said: answered?.said ?? null,
    input_tokens: answered?.inputTokens ?? null,
    output_tokens: answered?.outputTokens ?? null,
    usd: answered?.usd ?? null,
    before: before === null ? null : JSON.parse(before),
    same: answered?.answer == null || before === null ? null : sameAnswer(answered.answer, before),
  };
}
