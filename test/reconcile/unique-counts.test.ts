import { expect, it } from 'vitest';
import type { ShardToSend } from '../../runner/reconcile/submit/cut.ts';
import { freeAbove, withUniqueCounts } from '../../runner/reconcile/submit/unique-counts.ts';

const shard = (ordinals: ShardToSend['ordinals']): ShardToSend => ({
  ordinals,
  count: ordinals.reduce((sum, [first, last]) => sum + last - first + 1, 0),
  reserveUsd: 1,
  maxTokens: null,
});
const counts = (shards: readonly ShardToSend[]) => shards.map(({ count }) => count);

it('holds a row back for each shard that another is as long as', () => {
  const shards = [shard([[0, 9]]), shard([[10, 19]]), shard([[20, 29]])];
  expect(counts(withUniqueCounts(shards, new Set()))).toEqual([10, 9, 8]);
  expect(counts(withUniqueCounts(shards, new Set([10, 8])))).toEqual([9, 7, 6]);
});

it('keeps the first rows, whatever ranges they stand in', () => {
  const [cut] = withUniqueCounts(
    [
      shard([
        [0, 2],
        [5, 5],
        [8, 9],
      ]),
    ],
    new Set([6, 5]),
  );
  expect(cut?.ordinals).toEqual([
    [0, 2],
    [5, 5],
  ]);
});

it('sends a shard that cannot be told apart rather than nothing', () => {
  expect(counts(withUniqueCounts([shard([[7, 7]])], new Set([1])))).toEqual([1]);
});

it('makes a canary longer instead: the rest of a shorter one would be another canary', () => {
  expect(freeAbove(10, new Set([10, 11, 13]))).toBe(12);
});
