import { type Duck, sqlText } from '../duck.ts';
import type { Disposition } from '../outcome/disposition.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import { remembered } from './memo.ts';

/** Items of a run by what became of them. Adds up to the manifest, or the run is not called complete. */
export function dispositionCounts(duck: Duck, run: number): Promise<Partial<Record<Disposition, number>>> {
  return remembered(duck, `dispositions ${run}`, async () => {
    // Grouped before the rule is looked up: a row for each combination of facts, and not for each item.
    const rows = await duck.rows<{ disposition: Disposition; n: number }>(
      `SELECT disposition, sum(n)::INTEGER AS n FROM (
         SELECT problem, verdict, applied, flight, decision, standing, count(*) AS n
         FROM item_fact WHERE run = $run GROUP BY ALL)
       JOIN disposition_rule USING (problem, verdict, applied, flight, decision, standing)
       GROUP BY 1 ORDER BY 1`,
      { run },
    );
    return Object.fromEntries(rows.map((row) => [row.disposition, row.n]));
  });
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
  const count = (kind: SendableKind) => rows.find((row) => row.kind === kind)?.n ?? 0;
  const raisedCap = count('raised_cap');
  return {
    first: count('first'),
    retry: count('retry') + raisedCap,
    raisedCap,
    stalled: count('stalled'),
    cancelled: count('cancelled'),
  };
}

async function sendableByKind(duck: Duck, run: number): Promise<{ kind: SendableKind; n: number }[]> {
  const { unsent = 0, waiting = 0 } = await dispositionCounts(duck, run);
  // For most of a run's life nothing can be sent, and counting a million requests takes half a second.
  if (unsent + waiting === 0) return [];
  return duck.rows(
    `SELECT kind, count(DISTINCT request)::INTEGER AS n FROM (${SENDABLE}) WHERE run = $run GROUP BY 1`,
    { run },
  );
}

export type SendableKind = 'first' | 'retry' | 'raised_cap' | 'stalled' | 'cancelled';

/** Every item that could be sent. `later` is a first try again: the batch was turned away, not the item. */
export const SENDABLE = `SELECT run, ordinal, request, last_class::VARCHAR AS last_class,
    CASE WHEN decision = 'stall' AND last_class = 'cancelled' THEN 'cancelled'
         WHEN decision = 'stall' THEN 'stalled'
         WHEN decision = 'retry' AND last_class = 'truncated' THEN 'raised_cap'
         WHEN decision = 'retry' THEN 'retry' ELSE 'first' END AS kind
  FROM disposition WHERE disposition IN ('unsent', 'waiting')`;

/** Items that rest or failed, by the class of their last try. */
export async function retryableCount(
  duck: Duck,
  run: number,
  classes: readonly OutcomeClass[],
): Promise<number> {
  const [row] = await duck.rows<{ n: number }>(
    `SELECT count(*)::INTEGER AS n FROM disposition WHERE run = $run AND last_class::VARCHAR IN (${classes.map(sqlText).join(', ')})
       AND verdict = 'none' AND flight = 'none' AND decision IN ('hold', 'fail', 'stall')`,
    { run },
  );
  return row?.n ?? 0;
}

/** How many attempts of each try (first, second …), and how many of them ended `ok`. */
export function rounds(duck: Duck, run: number): Promise<{ attempts: number; ok: number }[]> {
  return remembered(duck, `rounds ${run}`, () =>
    duck.rows(
      `SELECT count(*)::INTEGER AS attempts, (count(*) FILTER (class = 'ok'))::INTEGER AS ok
       FROM (SELECT class, row_number() OVER (PARTITION BY ordinal ORDER BY shard) AS try FROM attempt WHERE run = $run)
       GROUP BY try ORDER BY try`,
      { run },
    ),
  );
}

export async function classCounts(
  duck: Duck,
  run: number,
  shard: number,
): Promise<Partial<Record<OutcomeClass, number>>> {
  const rows = await duck.rows<{ class: OutcomeClass; n: number }>(
    `SELECT class::VARCHAR AS class, count(*)::INTEGER AS n FROM attempt
     WHERE run = $run AND shard = $shard AND class IS NOT NULL GROUP BY 1 ORDER BY 1`,
    { run, shard },
  );
  return Object.fromEntries(rows.map((row) => [row.class, row.n]));
}
