import { epochMs, type Instant } from '../ids.ts';
import type { IntentState } from '../journal/state.ts';

/** Milliseconds since 1970. */
export type Flight = readonly [from: number, to: number];

/** Pure: when some batch was at the provider, without overlaps and in order. An open one has no end. */
export function mergeFlights(intents: readonly IntentState[]): Flight[] {
  const merged: [from: number, to: number][] = [];
  for (const [from, to] of intents.map(readFlight).sort(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before !== undefined && from <= before[1]) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function readFlight({ at, phase, settled, refusedAt }: IntentState): Flight {
  const from = epochMs(at);
  if (phase === 'absent') return [from, from];
  if (phase === 'refused') return [from, epochMs(refusedAt?.at ?? at)];
  return [from, settled === null ? Number.POSITIVE_INFINITY : epochMs(settled.at)];
}

/** Pure: the time between two moments in which nothing was at the provider, in milliseconds. */
export function waitedMs(first: Instant, last: Instant, flights: readonly Flight[]): number {
  const [from, to] = [epochMs(first), epochMs(last)];
  const flown = flights.reduce(
    (sum, [start, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)),
    0,
  );
  return to - from - flown;
}
