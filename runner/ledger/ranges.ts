import type { Duck } from '../duck.ts';
import type { OrdinalRange } from '../journal/events.ts';
import { rememberedForGood } from './memo.ts';

/**
 * Items that one statement looks at. To decide about an item DuckDB joins it with attempts, answers and rules, and holds
 * what it joins: a million items at once take 300 MB or go to disk, a hundred thousand take 40 MB, and ten times a
 * hundred thousand are faster than a million.
 */
const RANGE_ITEMS = 100_000;

/** Ranges of ordinals that together cover the items of a run. */
export async function ordinalRanges(duck: Duck, run: number): Promise<OrdinalRange[]> {
  const [row] = await duck.rows<{ items: number }>('SELECT items FROM run WHERE run = $run', { run });
  return rangesTo(row?.items ?? 0);
}

/** The same for the largest run. */
export async function widestRanges(duck: Duck): Promise<OrdinalRange[]> {
  const [row] = await duck.rows<{ items: number | null }>('SELECT max(items) AS items FROM run');
  return rangesTo(row?.items ?? 0);
}

/** Ranges that together cover the ordinals below `items`. */
export function rangesTo(items: number): OrdinalRange[] {
  const count = Math.ceil(items / RANGE_ITEMS);
  return Array.from({ length: count }, (_, at): OrdinalRange => {
    return [at * RANGE_ITEMS, Math.min(items, (at + 1) * RANGE_ITEMS) - 1];
  });
}

/** Whether items of the run ask for the same. What a run asks for never changes. */
export function hasTwins(duck: Duck, run: number): Promise<boolean> {
  return rememberedForGood(duck, `twins ${run}`, async () => {
    const [row] = await duck.rows<{ twins: boolean }>(
      'SELECT count(DISTINCT request) < count(request) AS twins FROM item WHERE run = $run',
      { run },
    );
    return row?.twins ?? false;
  });
}

/** Whether items of any runs ask for the same; looked at again when a run has come. */
export async function sharesRequests(duck: Duck): Promise<boolean> {
  const [row] = await duck.rows<{ runs: number }>('SELECT count(*)::INTEGER AS runs FROM run');
  return rememberedForGood(duck, `shared among ${row?.runs ?? 0}`, async () => {
    const [found] = await duck.rows<{ shared: boolean }>(
      'SELECT count(DISTINCT request) < count(request) AS shared FROM item',
    );
    return found?.shared ?? false;
  });
}
