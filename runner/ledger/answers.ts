import { sqlText } from '../duck.ts';
import type { OrdinalRange } from '../journal/events.ts';
import { answeredItems, within } from './answered.ts';
import { rangesTo } from './ranges.ts';

/** What a sink is filled from. */
export interface AnswersOrder {
  readonly run: number;
  readonly key: readonly string[];
  readonly pass: readonly string[];
  /** Runs before this one whose answers stay where the input has their keys no more, newest first. */
  readonly keepFrom: readonly number[];
  /** True: with a column `retired`, the first run whose input has the row no more. Absent: without. */
  readonly marks?: boolean;
}

/**
 * One SELECT with a row for each answered item: the columns that `sink/port.ts` asks for. `run` is the run that
 * bought the answer. Equal requests of several items give one answer to each.
 */
export function answersSelect(order: AnswersOrder): string {
  return [order.run, ...order.keepFrom].map((run) => answered(order, run, null)).join(' UNION ALL ');
}

/**
 * The same rows as several SELECTs, each of so many items that joining them takes little memory, in the order of their
 * `ordinal`. `items`: how many a run has.
 */
export function answersPieces(order: AnswersOrder, items: (run: number) => number): string[] {
  return [order.run, ...order.keepFrom].flatMap((run) =>
    rangesTo(items(run)).map((range) => answered(order, run, range)),
  );
}

/**
 * Rows of older runs come after those of the run itself. The answers stand first: a sink that has long ones asks DuckDB
 * to join as it is written, and then they are streamed; in a hash table 160 MB of them would not fit.
 */
function answered(order: AnswersOrder, run: number, range: OrdinalRange | null): string {
  const place = run === order.run ? 'f.ordinal::BIGINT' : `(${order.run - run}::BIGINT << 32) + f.ordinal`;
  return `SELECT ${place} AS ordinal, ${keyColumns(order.key)}, ${passColumns(order.pass)} o.answer,
      f.answer_run AS run, m.custom_id, o.model, m.request_hash AS hash${order.marks ? `, ${retiredSince(order, run)} AS retired` : ''}
    FROM outcome o
      JOIN (${answeredItems(run, range)}) f
        ON o.run = f.answer_run AND o.shard = f.answer_shard AND o.ordinal = f.answer_ordinal
      JOIN manifest m ON m.run = f.run AND m.ordinal = f.ordinal
    WHERE m.run = ${run} ${within('m', range)} ${goneSince(order, run)}`;
}

/** Of an older run only what is not in the current input and was not answered by a run in between. */
function goneSince({ run: current, keepFrom }: AnswersOrder, run: number): string {
  if (run === current) return '';
  const between = keepFrom.slice(0, keepFrom.indexOf(run));
  return [
    `AND NOT EXISTS (FROM manifest c WHERE c.run = ${current} AND c.problem IS NULL AND c.key = m.key)`,
    ...between.map(
      (newer) =>
        `AND NOT EXISTS (FROM manifest n JOIN (${answeredItems(newer)}) a ON a.ordinal = n.ordinal WHERE n.run = ${newer} AND n.key = m.key)`,
    ),
  ].join(' ');
}

/** NULL for a row that the input still has. It was in a run between where that run could not answer it. */
function retiredSince({ run: current, keepFrom }: AnswersOrder, run: number): string {
  if (run === current) return 'NULL::INTEGER';
  const cases = keepFrom
    .slice(0, keepFrom.indexOf(run))
    .map(
      (newer) =>
        `WHEN EXISTS (FROM manifest n WHERE n.run = ${newer} AND n.problem IS NULL AND n.key = m.key) THEN ${newer + 1}`,
    );
  return cases.length === 0 ? `${run + 1}` : `CASE ${cases.join(' ')} ELSE ${run + 1} END`;
}

/** A key of several columns stands in the manifest as a JSON array of strings. */
function keyColumns(key: readonly string[]): string {
  if (key.length === 1) return 'm.key AS key0';
  return key.map((_, index) => `json_extract_string(m.key, '$[${index}]') AS key${index}`).join(', ');
}

function passColumns(pass: readonly string[]): string {
  return pass.map((column, index) => `exact_column(row_json, ${sqlText(column)}) AS pass${index}, `).join('');
}
