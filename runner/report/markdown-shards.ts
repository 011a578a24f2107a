import { code, joined, type Markdown, md, words } from './escape.ts';
import type { ShardReport } from './report.ts';
import { groupShards, type ShardGroup } from './shard-groups.ts';
import { type Cell, left, right, tableOfKnown } from './table.ts';
import { count, duration, type Figure, many, percent, usd } from './text.ts';

/** More lines than this and nobody reads them. */
const SINGLE_SHARDS = 20;

/** One line a shard, those of one state together where there are many; null where nothing is sent. */
export function shardTable(shards: readonly ShardReport[]): Markdown | null {
  if (shards.length === 0) return null;
  const groups = groupShards(shards, SINGLE_SHARDS);
  const settled = shards.every(({ state }) => state === 'settled');
  const heads = [
    left`shard`,
    left`batch`,
    ...(settled ? [] : [left`state`, right`done`]),
    right`rows`,
    right`ok`,
    right`failed`,
    right`queue`,
    right`run`,
    right`USD`,
  ];
  return tableOfKnown(
    heads,
    groups.map((group) => shardCells(group, settled)),
  );
}

function shardCells(group: ShardGroup, settled: boolean): Cell[] {
  return [
    md`${group.numbers as Figure}${kindMark(group)}`,
    batch(group),
    ...(settled ? [] : [group.state as string as Figure, percent(group.done, group.rows)]),
    count(group.rows),
    optional(group.ok, count),
    optional(group.failed, count),
    optional(group.queuedMs, duration),
    optional(group.ranMs, duration),
    group.state === 'settled' ? usd(group.usd) : optional(group.usd, usd),
  ];
}

function kindMark({ kind, secondOf }: ShardGroup): Figure {
  if (secondOf !== null) return ` second of ${secondOf}` as Figure;
  return (kind === 'first' ? '' : ` ${kind}`) as Figure;
}

function batch({ batchId, shards }: ShardGroup): Cell {
  if (batchId === null) return '';
  const id = code(batchId, 24);
  return shards === 1 ? id : md`${id} +${count(shards - 1)}`;
}

function optional(value: number | null, show: (value: number) => Figure): Cell {
  return value === null ? '' : show(value);
}

const ERRORS = 5;

/** The provider's own words, which are hostile text like any other. */
export function shardErrors(shards: readonly ShardReport[]): Markdown | null {
  const failed = shards.flatMap((shard) => (shard.error === null ? [] : [{ shard, error: shard.error }]));
  if (failed.length === 0) return null;
  const lines = failed
    .slice(0, ERRORS)
    .map(
      ({ shard, error }) =>
        md`- shard ${count(shard.shard)} ${shard.state as string as Figure}: ${words(error, 300)}`,
    );
  const rest = failed.length - lines.length;
  return joined(rest === 0 ? lines : [...lines, md`- and ${many(rest, 'more shard')}`], '\n');
}
