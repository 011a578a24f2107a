import type { OrdinalRange } from '../journal/events.ts';

/** An item as the sharder needs it; a row of the manifest has all three. */
export interface ShardRow {
  readonly ordinal: number;
  readonly bodyBytes: number;
  readonly inputTokens: number;
}

/** What one batch may hold; `null` means no limit of that kind. */
export interface ShardLimits {
  readonly maxRequests: number;
  /** Of the encoded file, the envelope of each line included. */
  readonly maxBytes: number;
  readonly maxTokens: number | null;
  /** The job's own `shard.max_items`. */
  readonly maxItems: number | null;
  /** Bytes of a wire line that are not the body: ids, method, url, line feed. */
  readonly envelopeBytes: number;
}

/** The items that travel as one batch. */
export interface Shard {
  readonly ordinals: readonly OrdinalRange[];
  readonly count: number;
  /** Of the encoded lines. */
  readonly bytes: number;
  readonly tokens: number;
}

/**
 * Cuts rows into shards in the order in which they come, which must be that of their ordinals: a shard is then a
 * few ranges and not a list. Each limit is looked at before a row is added; by count alone a file of long rows is
 * refused after the upload (bespokelabsai/curator#610). A row above a limit by itself gets a shard of its own:
 * the freeze has set such rows aside already.
 */
export function* shardItems(rows: Iterable<ShardRow>, limits: ShardLimits): Generator<Shard> {
  const maxCount = Math.min(limits.maxRequests, limits.maxItems ?? Number.POSITIVE_INFINITY);
  const maxTokens = limits.maxTokens ?? Number.POSITIVE_INFINITY;
  let open = emptyShard();
  for (const row of rows) {
    const bytes = row.bodyBytes + limits.envelopeBytes;
    const full =
      open.count >= maxCount ||
      open.bytes + bytes > limits.maxBytes ||
      open.tokens + row.inputTokens > maxTokens;
    if (full && open.count > 0) {
      yield open;
      open = emptyShard();
    }
    extend(open.ordinals, row.ordinal);
    open.count += 1;
    open.bytes += bytes;
    open.tokens += row.inputTokens;
  }
  if (open.count > 0) yield open;
}

/** Ordinals in ascending order as inclusive ranges. */
export function toRanges(ordinals: Iterable<number>): OrdinalRange[] {
  const ranges: Range[] = [];
  for (const ordinal of ordinals) extend(ranges, ordinal);
  return ranges;
}

/** Each ordinal of the ranges, one after the other. */
export function* eachOrdinal(ranges: readonly OrdinalRange[]): Generator<number> {
  for (const [first, last] of ranges) {
    for (let ordinal = first; ordinal <= last; ordinal += 1) yield ordinal;
  }
}

type Range = [first: number, last: number];

interface OpenShard {
  readonly ordinals: Range[];
  count: number;
  bytes: number;
  tokens: number;
}

function emptyShard(): OpenShard {
  return { ordinals: [], count: 0, bytes: 0, tokens: 0 };
}

/** @throws RangeError where ordinals do not ascend: ranges would lose or double some. */
function extend(ranges: Range[], ordinal: number): void {
  const last = ranges.at(-1);
  if (last === undefined || ordinal > last[1] + 1) ranges.push([ordinal, ordinal]);
  else if (ordinal === last[1] + 1) last[1] = ordinal;
  else throw new RangeError(`ordinals must ascend: ${ordinal} came after ${last[1]}`);
}
