import type { ShardReport } from './report.ts';
import { knownSum, median, sum } from './summary.ts';

/** One line of a shard table: a shard, or many in the same state. */
export interface ShardGroup {
  readonly kind: ShardReport['kind'];
  /** Of one shard: the shard whose rows it holds too. */
  readonly secondOf: number | null;
  readonly state: ShardReport['state'];
  /** `5`, or `1–4, 9`, or `67 shards` where they are scattered. */
  readonly numbers: string;
  readonly shards: number;
  readonly batchId: string | null;
  readonly rows: number;
  readonly done: number;
  readonly ok: number | null;
  readonly failed: number | null;
  /** Of several: the median of those that are known. */
  readonly queuedMs: number | null;
  readonly ranMs: number | null;
  readonly usd: number | null;
  /** Of several: the first to be made, the last to expire. */
  readonly createdAt: ShardReport['createdAt'];
  readonly expiresAt: ShardReport['expiresAt'];
}

/** Each shard by itself up to `limit`; beyond it, those of one kind and state as one line, in order of appearance. */
export function groupShards(shards: readonly ShardReport[], limit: number): readonly ShardGroup[] {
  if (shards.length <= limit) return shards.map((shard) => grouped([shard]));
  const groups = Map.groupBy(shards, (shard) => `${shard.kind} ${shard.state} ${shard.secondOf ?? ''}`);
  return [...groups.values()].map(grouped);
}

function grouped(shards: readonly ShardReport[]): ShardGroup {
  const [first] = shards;
  if (first === undefined) throw new RangeError('a group of no shards');
  return {
    kind: first.kind,
    secondOf: first.secondOf ?? null,
    state: first.state,
    numbers: rangesOf(shards.map(({ shard }) => shard)),
    shards: shards.length,
    batchId: first.batchId,
    rows: sum(shards.map(({ rows }) => rows)),
    done: sum(shards.map(({ done }) => done)),
    ok: knownSum(shards.map(({ ok }) => ok)),
    failed: knownSum(shards.map(({ failed }) => failed)),
    queuedMs: median(known(shards.map(({ queuedMs }) => queuedMs))),
    ranMs: median(known(shards.map(({ ranMs }) => ranMs))),
    usd: knownSum(shards.map(({ usd }) => usd)),
    createdAt: known(shards.map(({ createdAt }) => createdAt)).sort()[0] ?? null,
    expiresAt:
      known(shards.map(({ expiresAt }) => expiresAt))
        .sort()
        .at(-1) ?? null,
  };
}

function known<Value>(values: readonly (Value | null)[]): Value[] {
  return values.filter((value) => value !== null);
}

/** More ranges than this are counted instead: a hundred of them would tell nobody anything. */
const RANGES = 4;

function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  if (ranges.length > RANGES) return `${numbers.length} shards`;
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
