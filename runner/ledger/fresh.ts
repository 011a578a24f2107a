import { openDuck, sqlTexts } from '../duck.ts';
import type { AccountId } from '../ids.ts';
import type { Ledger } from './ledger.ts';

/**
 * How many requests of a draft would be bought: equal ones once, and none that has an answer, an end that carries
 * over, a live attempt, or waits for a person. `ledger`: null for a job's first run.
 */
export async function freshRequests(
  ledger: Ledger | null,
  parts: readonly string[],
  account: AccountId,
): Promise<number> {
  if (parts.length === 0) return 0;
  const distinct = `SELECT DISTINCT request_hash::UUID AS request FROM read_parquet(${sqlTexts(parts)}) WHERE request_hash IS NOT NULL`;
  if (ledger === null) return countIn(`SELECT count(*)::INTEGER AS fresh FROM (${distinct})`);
  const [row] = await ledger.duck.rows<{ fresh: number }>(
    `SELECT count(*)::INTEGER AS fresh FROM (${distinct}) d
       ANTI JOIN (SELECT request FROM answer WHERE account = $account) a USING (request)
       ANTI JOIN (SELECT request FROM open_request WHERE account = $account) o USING (request)
       ANTI JOIN (${KEPT}) k USING (request)`,
    { account },
  );
  return row?.fresh ?? 0;
}

/**
 * How many rows of a run a draft has no more, by their keys. Rows that could not be sent count in neither: one that has
 * become unusable is still there.
 */
export async function goneRows(
  { duck }: Ledger,
  run: number,
  parts: readonly string[],
): Promise<{ readonly rows: number; readonly of: number }> {
  const now =
    parts.length === 0 ? 'SELECT NULL::VARCHAR AS key' : `SELECT key FROM read_parquet(${sqlTexts(parts)})`;
  const [row] = await duck.rows<{ rows: number; of: number }>(
    `SELECT (count(*) FILTER (n.key IS NULL))::INTEGER AS rows, count(*)::INTEGER AS of
     FROM (SELECT key FROM manifest WHERE run = $run AND problem IS NULL) m
       LEFT JOIN (SELECT DISTINCT key FROM (${now}) WHERE key IS NOT NULL) n ON n.key = m.key`,
    { run },
  );
  return row ?? { rows: 0, of: 0 };
}

const KEPT = `SELECT t.request FROM kept_tries t JOIN decision_rule d ON d.class = t.last_class AND d.used = t.used
    AND d.invalid_output = t.invalid_output AND d.truncated = t.truncated AND d.cancelled_by_us = t.cancelled_by_us
    AND d.revised = t.revised AND d.pardoned = t.pardoned
  WHERE t.account = $account AND d.decision IN ('hold', 'stall', 'fail', 'await')`;

async function countIn(sql: string): Promise<number> {
  const duck = await openDuck();
  try {
    const [row] = await duck.rows<{ fresh: number }>(sql);
    return row?.fresh ?? 0;
  } finally {
    duck.close();
  }
}
