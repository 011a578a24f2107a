import { type Duck, giveBackMemory, sqlText } from '../duck.ts';
import type { OrdinalRange } from '../journal/events.ts';
import type { Disposition } from '../outcome/disposition.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import { remembered } from './memo.ts';
import { hasTwins, ordinalRanges, sharesRequests } from './ranges.ts';

/** Items of a run by what became of them. Adds up to the manifest, or the run is not called complete. */
export async function dispositionCounts(
  duck: Duck,
  run: number,
): Promise<Partial<Record<Disposition, number>>> {
  const counts: Partial<Record<Disposition, number>> = {};
  for (const { disposition, items } of await itemGroups(duck, run))
    counts[disposition] = (counts[disposition] ?? 0) + items;
  return counts;
}

/** Items that share a disposition and a reason to be sent; the reason counts only where they could be. */
interface ItemGroup {
  readonly disposition: Disposition;
  readonly kind: SendableKind;
  readonly items: number;
}

function itemGroups(duck: Duck, run: number): Promise<readonly ItemGroup[]> {
  return remembered(duck, `items ${run}`, async () => {
    const groups: ItemGroup[] = [];
    const ranges = await ordinalRanges(duck, run);
    for (const range of ranges) groups.push(...(await groupsIn(duck, run, range)));
    if (ranges.length > 1) await giveBackMemory();
    return groups;
  });
}

async function groupsIn(duck: Duck, run: number, [first, last]: OrdinalRange): Promise<ItemGroup[]> {
  const counts = (await sharesRequests(duck)) ? 'item_fact_counts' : 'item_fact_counts_alone';
  return duck.rows(
    `SELECT disposition, ${KIND} AS kind, sum(n)::INTEGER AS items FROM ${counts}(${run}, ${first}, ${last})
     JOIN disposition_rule USING (problem, verdict, applied, flight, decision, standing)
     GROUP BY ALL ORDER BY ALL`,
  );
}

/** Requests (not items: equal requests are sent once) of a run that may be sent now, by why. */
export interface SendableCounts {
  /** Never tried, or given back by a refused or failed batch. */
  readonly first: number;
  readonly retry: number;
  /** Of `retry`: truncated ones that go with the raised cap. */
  readonly raisedCap: number;
  /** Wait until the account is in order again. */
  readonly stalled: number;
  /** Cancelled by a person at the provider: sent again only when a person says so. */
  readonly cancelled: number;
}

export async function sendableCounts(duck: Duck, run: number): Promise<SendableCounts> {
  const rows = await remembered(duck, `sendable ${run}`, () => sendableByKind(duck, run));
  const count = (kind: SendableKind) => rows.reduce((sum, row) => sum + (row.kind === kind ? row.n : 0), 0);
  const raisedCap = count('raised_cap');
  return {
    first: count('first'),
    retry: count('retry') + raisedCap,
    raisedCap,
    stalled: count('stalled'),
    cancelled: count('cancelled'),
  };
}

async function sendableByKind(
  duck: Duck,
  run: number,
): Promise<readonly { readonly kind: SendableKind; readonly n: number }[]> {
  const groups = (await itemGroups(duck, run)).filter(({ disposition }) => COULD_BE_SENT.has(disposition));
  // For most of a run's life nothing can be sent; and where no two items ask for the same, they are as many as requests.
  if (groups.length === 0 || !(await hasTwins(duck, run)))
    return groups.map(({ kind, items }) => ({ kind, n: items }));
  return duck.rows(
    `SELECT kind, count(DISTINCT request)::INTEGER AS n FROM (${SENDABLE}) WHERE run = $run GROUP BY 1`,
    { run },
  );
}

export type SendableKind = 'first' | 'retry' | 'raised_cap' | 'stalled' | 'cancelled';

/**
 * `later` is a first try again: the batch was turned away, not the item. Whatever came after a truncation, the item
 * goes with the raised cap: the old one would cut the same answer at the same place.
 */
const KIND = `CASE WHEN decision = 'stall' AND last_class = 'cancelled' THEN 'cancelled'
         WHEN decision IN ('retry', 'later', 'stall') AND (last_class = 'truncated' OR truncated > 0) THEN 'raised_cap'
         WHEN decision = 'stall' THEN 'stalled'
         WHEN decision = 'retry' THEN 'retry' ELSE 'first' END`;

const COULD_BE_SENT: ReadonlySet<Disposition> = new Set(['unsent', 'waiting']);

/** Every item that could be sent. */
export const SENDABLE = `SELECT run, ordinal, request, last_class::VARCHAR AS last_class, ${KIND} AS kind
  FROM disposition WHERE disposition IN ('unsent', 'waiting')`;

/** Items that rest or failed, by the class of their last try. */
export async function retryableCount(
  duck: Duck,
  run: number,
  classes: readonly OutcomeClass[],
): Promise<number> {
  const [row] = await duck.rows<{ n: number }>(
    `SELECT count(*)::INTEGER AS n FROM disposition WHERE run = $run AND last_class::VARCHAR IN (${classes.map(sqlText).join(', ')})
       AND verdict = 'none' AND flight = 'none' AND decision IN ('await', 'hold', 'fail', 'stall')`,
    { run },
  );
  return row?.n ?? 0;
}

/** How many attempts of each try (first, second …), and how many of them ended `ok`. */
export function rounds(duck: Duck, run: number): Promise<{ attempts: number; ok: number }[]> {
  return remembered(duck, `rounds ${run}`, () =>
    duck.rows(
      `SELECT count(*)::INTEGER AS attempts, (count(*) FILTER (class = 'ok'))::INTEGER AS ok
       FROM (SELECT class, row_number() OVER (PARTITION BY ordinal ORDER BY shard) AS try 
         FROM attempt JOIN shard USING (run, shard) WHERE run = $run AND second_of IS NULL)
       GROUP BY try ORDER BY try`,
      { run },
    ),
  );
}
