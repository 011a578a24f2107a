import type { Duck } from '../duck.ts';
import type { OrdinalRange } from '../journal/events.ts';

/**
 * The items of a run that have an answer, theirs or that of an equal request: the rows of `item_fact` whose verdict is
 * `own` or `reused`, without what else decides a disposition. Written out, since DuckDB would join tries and open
 * requests to every item before it dropped them: 0.1 µs a row instead of 0.5.
 */
export function answeredItems(run: number, range: OrdinalRange | null = null): string {
  return `SELECT i.run, i.ordinal, i.request, w.run AS answer_run, w.shard AS answer_shard, w.ordinal AS answer_ordinal
    FROM item i JOIN answer w ON w.request = i.request
    WHERE i.run = ${run} ${within('i', range)} AND w.verdict = 'ok' AND w.account = (SELECT account FROM run WHERE run = ${run})`;
}

/** Which of these items of a run have an answer. */
export async function answeredOrdinals(
  duck: Duck,
  { run, ordinals }: { readonly run: number; readonly ordinals: readonly OrdinalRange[] },
): Promise<ReadonlySet<number>> {
  const answered = new Set<number>();
  for (const range of ordinals) {
    const rows = await duck.rows<{ ordinal: number }>(`SELECT ordinal FROM (${answeredItems(run, range)})`);
    for (const { ordinal } of rows) answered.add(ordinal);
  }
  return answered;
}

/** Which items of a shard another batch had answered when it was settled. */
export async function duplicateOrdinals(
  duck: Duck,
  { run, shard }: { readonly run: number; readonly shard: number },
): Promise<ReadonlySet<number>> {
  const rows = await duck.rows<{ ordinal: number }>(
    "SELECT ordinal FROM attempt WHERE run = $run AND shard = $shard AND class = 'duplicate'",
    { run, shard },
  );
  return new Set(rows.map(({ ordinal }) => ordinal));
}

/** A condition for rows of `table`, to stand after another; nothing where there is no range. */
export function within(table: string, range: OrdinalRange | null): string {
  return range === null ? '' : `AND ${table}.ordinal BETWEEN ${range[0]} AND ${range[1]}`;
}
