import { sqlText } from '../duck.ts';
import { answeredItems } from './answered.ts';

/** What a sink is filled from. */
export interface AnswersOrder {
  readonly run: number;
  readonly key: readonly string[];
  readonly pass: readonly string[];
  /** Runs before this one whose answers stay where the input has their keys no more, newest first. */
  readonly keepFrom: readonly number[];
}

/**
 * One SELECT with a row for each answered item: the columns that `sink/port.ts` asks for. `run` is the run that
 * bought the answer. Equal requests of several items give one answer to each.
 */
export function answersSelect(order: AnswersOrder): string {
  const own = answered(order, order.run, 'true');
  const kept = order.keepFrom.map((run, index) => {
    const newer = [order.run, ...order.keepFrom.slice(0, index)].join(', ');
    return answered(
      order,
      run,
      `m.key NOT IN (SELECT key FROM manifest WHERE run IN (${newer}) AND problem IS NULL)`,
    );
  });
  return [own, ...kept].join(' UNION ALL ');
}

/**
 * Rows of older runs come after those of the run itself. The answers stand first: where a sink asks DuckDB to join as
 * written, they are streamed and not gathered in a hash table. Passed columns are taken out of their row below the join,
 * so that the row need not go through it.
 */
function answered(order: AnswersOrder, run: number, where: string): string {
  const place = `(${order.run - run}::BIGINT << 32) + f.ordinal`;
  const passed = order.pass.map((_, index) => `m.pass${index}, `).join('');
  return `SELECT ${place} AS ordinal, ${keyColumns(order.key)}, ${passed} o.answer,
      f.answer_run AS run, m.custom_id, o.model, m.request_hash AS hash
    FROM outcome o
      JOIN (${answeredItems(run)}) f ON o.run = f.answer_run AND o.shard = f.answer_shard AND o.ordinal = f.answer_ordinal
      JOIN (SELECT ordinal, key, ${passColumns(order.pass)} custom_id, request_hash FROM manifest WHERE run = ${run}) m
        ON m.ordinal = f.ordinal
    WHERE ${where}`;
}

/** A key of several columns stands in the manifest as a JSON array of strings. */
function keyColumns(key: readonly string[]): string {
  if (key.length === 1) return 'm.key AS key0';
  return key.map((_, index) => `json_extract_string(m.key, '$[${index}]') AS key${index}`).join(', ');
}

function passColumns(pass: readonly string[]): string {
  return pass.map((column, index) => `exact_column(row_json, ${sqlText(column)}) AS pass${index}, `).join('');
}
