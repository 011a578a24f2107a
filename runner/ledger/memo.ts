import type { Duck } from '../duck.ts';

type Readings = WeakMap<Duck, Map<string, Promise<unknown>>>;

const untilChanged: Readings = new WeakMap();
const forGood: Readings = new WeakMap();

/**
 * What was read from a ledger under this name, read once until `forget`: a pass plans five times and then writes its
 * report, mostly from the same books. For results of a few rows; nothing is kept of a reading that failed.
 */
export function remembered<Value>(duck: Duck, name: string, read: () => Promise<Value>): Promise<Value> {
  return once(untilChanged, duck, name, read);
}

/** The same for what no news can change. */
export function rememberedForGood<Value>(
  duck: Duck,
  name: string,
  read: () => Promise<Value>,
): Promise<Value> {
  return once(forGood, duck, name, read);
}

/** To be called whenever the ledger's contents have changed. */
export function forget(duck: Duck): void {
  untilChanged.delete(duck);
}

function once<Value>(known: Readings, duck: Duck, name: string, read: () => Promise<Value>): Promise<Value> {
  const readings = known.get(duck) ?? new Map<string, Promise<unknown>>();
  known.set(duck, readings);
  const before = readings.get(name);
  if (before !== undefined) return before as Promise<Value>;
  const reading = read();
  readings.set(name, reading);
  reading.catch(() => readings.delete(name));
  return reading;
}
