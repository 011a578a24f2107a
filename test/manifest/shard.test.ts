import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  eachOrdinal,
  type ShardLimits,
  type ShardRow,
  shardItems,
  toRanges,
} from '../../runner/manifest/shard.ts';

const NO_LIMITS: ShardLimits = {
  maxRequests: 1e9,
  maxBytes: 1e12,
  maxTokens: null,
  maxItems: null,
  envelopeBytes: 100,
};

function rowsOf(count: number, bodyBytes = 900, inputTokens = 10): ShardRow[] {
  return Array.from({ length: count }, (_, ordinal) => ({ ordinal, bodyBytes, inputTokens }));
}

function counts(rows: ShardRow[], limits: Partial<ShardLimits>): number[] {
  return [...shardItems(rows, { ...NO_LIMITS, ...limits })].map((shard) => shard.count);
}

describe('B030: a shard ends before any limit is passed', () => {
  test.each<[string, Partial<ShardLimits>, number[]]>([
    ['requests', { maxRequests: 4 }, [4, 4, 2]],
    ['bytes with the envelope', { maxBytes: 3000 }, [3, 3, 3, 1]],
    ['one byte less', { maxBytes: 2999 }, [2, 2, 2, 2, 2]],
    ['tokens', { maxTokens: 45 }, [4, 4, 2]],
    ["the job's own", { maxItems: 6, maxRequests: 8 }, [6, 4]],
    ['none', {}, [10]],
  ])('%s', (_name, limits, expected) => {
    expect(counts(rowsOf(10), limits)).toEqual(expected);
  });

  test('a row above the limit by itself is alone', () => {
    const rows = rowsOf(3).map((row) => (row.ordinal === 1 ? { ...row, bodyBytes: 99_999 } : row));
    expect(counts(rows, { maxBytes: 5000 })).toEqual([1, 1, 1]);
  });

  test('nothing makes no shard', () => {
    expect(counts([], {})).toEqual([]);
  });

  test('every row is in one shard, in order, and the sums are right', () => {
    const rows = fc.array(fc.record({ bodyBytes: fc.nat(2000), inputTokens: fc.nat(50) }), { maxLength: 60 });
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 100, max: 9000 }),
        (sizes, maxRequests, maxBytes) => {
          const all = sizes.map((size, ordinal) => ({ ...size, ordinal: ordinal * 2 }));
          const shards = [...shardItems(all, { ...NO_LIMITS, maxRequests, maxBytes, maxTokens: 200 })];
          expect(shards.flatMap((shard) => [...eachOrdinal(shard.ordinals)])).toEqual(
            all.map((row) => row.ordinal),
          );
          for (const shard of shards) {
            const inside = all.filter((row) => [...eachOrdinal(shard.ordinals)].includes(row.ordinal));
            expect(shard.bytes).toBe(inside.reduce((sum, row) => sum + row.bodyBytes + 100, 0));
            expect(shard.count === 1 || (shard.bytes <= maxBytes && shard.tokens <= 200)).toBe(true);
          }
        },
      ),
    );
  });

  test('a million rows are twenty shards of one range', () => {
    const shards = [...shardItems(rowsOf(1_000_000), { ...NO_LIMITS, maxRequests: 50_000 })];
    expect(shards).toHaveLength(20);
    expect(shards[1]).toEqual({
      ordinals: [[50_000, 99_999]],
      count: 50_000,
      bytes: 50_000_000,
      tokens: 500_000,
    });
  });
});

describe('ranges', () => {
  test.each<[number[], [number, number][]]>([
    [[], []],
    [[5], [[5, 5]]],
    [
      [0, 1, 2, 4, 6, 7],
      [
        [0, 2],
        [4, 4],
        [6, 7],
      ],
    ],
  ])('%j', (ordinals, ranges) => {
    expect(toRanges(ordinals)).toEqual(ranges);
    expect([...eachOrdinal(ranges)]).toEqual(ordinals);
  });

  test.each([[[1, 1]], [[2, 1]]])('%j does not ascend', (ordinals) => {
    expect(() => toRanges(ordinals)).toThrow(RangeError);
  });
});
