import type { DuckDBDataChunk } from '@duckdb/node-api';
import { type Duck, KEEPS_BUILD_SIDE, scratchDuck, sqlText, sqlTexts } from '../duck.ts';
import { sizeOf } from '../files.ts';
import type { IntentId } from '../ids.ts';
import type { OrdinalRange } from '../journal/events.ts';
import type { WireEnvelope } from '../provider/port.ts';
import { SENDABLE, type SendableKind } from './books.ts';
import { hasTwins, ordinalRanges } from './ranges.ts';

/** One request that may be sent: the first item that asks for it, and its size. */
export interface SendableRow {
  readonly ordinal: number;
  readonly bodyBytes: number;
  readonly inputTokens: number;
}

/** In the order of the manifest, at most `limit`. Kept as columns of numbers: as objects 500,000 rows take 60 MB. */
export async function sendableRows(
  duck: Duck,
  run: number,
  kinds: readonly SendableKind[],
  limit: number,
): Promise<Iterable<SendableRow>> {
  const chunks: Int32Array[] = [];
  let rows = 0;
  for (const range of await rangesToSend(duck, run)) {
    const wanted = { run, kinds, range, limit: limit - rows };
    if (wanted.limit <= 0) break;
    for await (const chunk of numbersToSend(duck, wanted)) {
      chunks.push(chunk);
      rows += chunk.length / COLUMNS;
    }
  }
  return rowsOf(chunks);
}

/** Which of two equal requests comes first can only be told over the whole run. */
async function rangesToSend(duck: Duck, run: number): Promise<readonly OrdinalRange[]> {
  const ranges = await ordinalRanges(duck, run);
  if (!(await hasTwins(duck, run))) return ranges;
  return [[0, ranges.at(-1)?.[1] ?? 0]];
}

interface Wanted {
  readonly run: number;
  readonly kinds: readonly SendableKind[];
  readonly range: OrdinalRange;
  readonly limit: number;
}

async function* numbersToSend(duck: Duck, { run, kinds, range, limit }: Wanted): AsyncGenerator<Int32Array> {
  const within = `ordinal BETWEEN ${range[0]} AND ${range[1]}`;
  const result = await duck.connection.stream(
    `SELECT m.ordinal, m.body_bytes, m.input_tokens
     FROM manifest m SEMI JOIN (
       SELECT min(ordinal) AS ordinal FROM (${SENDABLE})
       WHERE run = $run AND ${within} AND kind IN (${kinds.map(sqlText).join(', ')}) GROUP BY request
     ) s ON s.ordinal = m.ordinal
     WHERE m.run = $run AND m.${within} ORDER BY m.ordinal LIMIT ${limit}`,
    { run },
  );
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    yield numbersOf(chunk);
  }
}

const COLUMNS = 3;

function numbersOf(chunk: DuckDBDataChunk): Int32Array {
  const numbers = new Int32Array(chunk.rowCount * COLUMNS);
  for (let column = 0; column < COLUMNS; column += 1) {
    const vector = chunk.getColumnVector(column);
    for (let row = 0; row < chunk.rowCount; row += 1)
      numbers[row * COLUMNS + column] = Number(vector.getItem(row));
  }
  return numbers;
}

function* rowsOf(chunks: readonly Int32Array[]): Generator<SendableRow> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += COLUMNS) {
      const number = (column: number) => chunk[at + column] ?? 0;
      yield { ordinal: number(0), bodyBytes: number(1), inputTokens: number(2) };
    }
  }
}

/**
 * Writes the lines of a shard from the parts of its manifest, in the order of their ordinals: a provider's "line 7" must
 * lead back to an item. Parts are read in order, and DuckDB keeps the order of what it scans. Nothing is sorted: that
 * would hold every body, and 200 MB of them do not fit.
 */
export async function writeWire(
  parts: readonly string[],
  ordinals: readonly OrdinalRange[],
  intent: IntentId,
  envelope: WireEnvelope,
  path: string,
): Promise<void> {
  // As columns with nothing between them: a tenth faster than one text that has to be put together first.
  const pieces = [
    sqlText(`${envelope.beforeId}${intent}_`),
    'lower(to_base(ordinal, 36))',
    sqlText(envelope.afterId),
    'frozen[2]',
    sqlText(envelope.afterBody),
  ];
  const duck = await openBodies(parts);
  try {
    await duck.run(
      `COPY (SELECT ${pieces.map((piece, at) => `${piece} AS c${at}`).join(', ')} FROM ${bodiesFrom(parts, ordinals)})
       TO ${sqlText(path)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '')`,
    );
  } finally {
    duck.close();
  }
}

/**
 * Where there is much, a DuckDB of its own: when it closes, what bodies have taken of memory goes back to the system,
 * 100 MB after a few shards. Which side of a join is kept in memory is as we write it: where few items have large bodies
 * the optimizer would keep the bodies, and lose their order.
 */
async function openBodies(parts: readonly string[]): Promise<Duck> {
  const sizes = await Promise.all(parts.map((part) => sizeOf(part)));
  const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  return scratchDuck(bytes, { memoryLimit: '128MB' }, KEEPS_BUILD_SIDE);
}

/** One range is a plain filter that skips row groups; many are a set beside it. */
function bodiesFrom(parts: readonly string[], ordinals: readonly OrdinalRange[]): string {
  const [first, last] = [ordinals[0]?.[0] ?? 0, ordinals.at(-1)?.[1] ?? -1];
  const within = `WHERE ordinal BETWEEN ${first} AND ${last}`;
  const rows = `read_parquet(${sqlTexts(parts)})`;
  if (ordinals.length === 1) return `${rows} ${within}`;
  const ranges = ordinals.map(([from, to]) => `(${from}, ${to})`).join(', ');
  return `${rows} SEMI JOIN (SELECT unnest(range(first, last + 1)) AS wanted FROM (VALUES ${ranges}) AS r(first, last)) ON wanted = ordinal ${within}`;
}
