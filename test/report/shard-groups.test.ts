import { expect, test } from 'vitest';
import { groupShards } from '../../runner/report/shard-groups.ts';
import { underWayReport } from '../support/report-values.ts';

const shards = underWayReport().run?.shards ?? [];

test('up to the limit each shard stands by itself', () => {
  const groups = groupShards(shards.slice(0, 12), 12);
  expect(groups.map(({ numbers }) => numbers)).toEqual(Array.from({ length: 12 }, (_, at) => `${at + 1}`));
});

test('beyond it those of one kind and state share a line, and no row is lost', () => {
  const groups = groupShards(shards, 12);
  expect(groups.map(({ state, shards: of }) => [state, of])).toEqual([
    ['running', 67],
    ['validating', 66],
    ['settled', 66],
    ['submitting', 1],
  ]);
  expect(groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(1_000_000);
  expect(groups.map(({ numbers }) => numbers)).toEqual(['67 shards', '66 shards', '66 shards', '113']);
});

test('ranges are written as ranges, an unknown cost makes the sum unknown', () => {
  const settled = shards
    .filter(({ state }) => state === 'settled')
    .map((shard, at) => ({ ...shard, shard: at + 1 }));
  const [known] = groupShards(settled.slice(0, 3), 2);
  expect(known).toMatchObject({ numbers: '1–3', usd: expect.closeTo(4.17) });
  const [unknown] = groupShards([...settled.slice(0, 2), { ...settled[2], usd: null } as never], 2);
  expect(unknown?.usd).toBeNull();
});
