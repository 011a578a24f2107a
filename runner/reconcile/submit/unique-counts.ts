import { later } from '../../ids.ts';
import type { OrdinalRange } from '../../journal/events.ts';
import { isOpen } from '../../plan/spend.ts';
import { isTerminal, type Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import type { ShardToSend } from './cut.ts';

/**
 * How many requests the open batches of an account have, ours and those of others in the list. Where a batch bears no
 * tag, its number is what a lost one is looked for by. A list that cannot be read costs only certainty.
 */
export async function takenCounts(ctx: PassContext, provider: Provider): Promise<ReadonlySet<number>> {
  const ours = Object.values(ctx.journal.state.intents).filter(
    (intent) => intent.account === provider.account.id && isOpen(intent),
  );
  const listed = await provider.find([], later(ctx.now(), -provider.profile.windowMs));
  const others =
    listed.kind === 'failed' ? [] : listed.value.untagged.filter(({ state }) => !isTerminal(state));
  return new Set([
    ...ours.map(({ count }) => count),
    ...others.flatMap(({ progress }) => progress?.total ?? []),
  ]);
}

/** So many rows at most wait for the next shard; beyond that look-alikes are put up with. */
const MOST_HELD_BACK = 50;

/** Pure: the shards, each a few rows shorter where another open batch has as many. */
export function withUniqueCounts(
  shards: readonly ShardToSend[],
  taken: ReadonlySet<number>,
): readonly ShardToSend[] {
  const used = new Set(taken);
  return shards.map((shard) => {
    const count = freeBelow(shard.count, used);
    used.add(count);
    return count === shard.count ? shard : { ...shard, count, ordinals: firstOf(shard.ordinals, count) };
  });
}

function freeBelow(count: number, used: ReadonlySet<number>): number {
  for (let free = count; free > 0 && free > count - MOST_HELD_BACK; free -= 1)
    if (!used.has(free)) return free;
  return count;
}

/** Pure: a canary is not cut short, since the rest of it would be another canary: it takes a few rows more. */
export function freeAbove(count: number, taken: ReadonlySet<number>): number {
  for (let free = count; free < count + MOST_HELD_BACK; free += 1) if (!taken.has(free)) return free;
  return count;
}

function firstOf(ordinals: readonly OrdinalRange[], count: number): OrdinalRange[] {
  let left = count;
  return ordinals.flatMap(([first, last]): OrdinalRange[] => {
    if (left <= 0) return [];
    const end = Math.min(last, first + left - 1);
    left -= end - first + 1;
    return [[first, end]];
  });
}
