import { type Duck, sqlText } from '../duck.ts';
import type { OrdinalRange } from '../journal/events.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import { type AnswersOrder, answersSelect } from './answers.ts';

/** What the parts of a run's manifest hold. */
export interface ManifestRows {
  readonly rows: number;
  /** Different ordinals among them, and the highest; null without rows. */
  readonly ordinals: number;
  readonly last: number | null;
  readonly setAside: number;
}

export async function manifestRows(duck: Duck, run: number): Promise<ManifestRows> {
  const [row] = await duck.rows<ManifestRows>(
    `SELECT count(*)::INTEGER AS rows, count(DISTINCT ordinal)::INTEGER AS ordinals, max(ordinal)::INTEGER AS last,
       (count(*) FILTER (problem IS NOT NULL))::INTEGER AS "setAside"
     FROM manifest WHERE run = $run`,
    { run },
  );
  return row ?? { rows: 0, ordinals: 0, last: null, setAside: 0 };
}

/** The attempts of a shard in the ledger: all, and those that have a class. */
export interface AttemptRows {
  readonly shard: number;
  readonly attempts: number;
  readonly closed: number;
}

export async function attemptRows(duck: Duck, run: number): Promise<AttemptRows[]> {
  return duck.rows(
    `SELECT shard, count(*)::INTEGER AS attempts, count(class)::INTEGER AS closed
     FROM attempt WHERE run = $run GROUP BY shard ORDER BY shard`,
    { run },
  );
}

/** What an outcomes file holds, read from the file itself. */
export interface OutcomeRows {
  readonly rows: number;
  readonly ordinals: number;
  /** Different ordinals that are of the intent. */
  readonly own: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly counts: Readonly<Partial<Record<OutcomeClass, number>>>;
}

export async function outcomeRows(
  duck: Duck,
  path: string,
  ordinals: readonly OrdinalRange[],
): Promise<OutcomeRows> {
  const ranges = ordinals.map(([first, last]) => `(${first}, ${last})`).join(', ');
  const file = `read_parquet(${sqlText(path)})`;
  const [sums] = await duck.rows<Omit<OutcomeRows, 'counts'>>(
    `SELECT count(*)::INTEGER AS rows, count(DISTINCT ordinal)::INTEGER AS ordinals,
       (count(DISTINCT ordinal) FILTER (ordinal IN (
         SELECT unnest(range(first, last + 1)) FROM (VALUES ${ranges}) AS r(first, last))))::INTEGER AS own,
       coalesce(sum(input_tokens), 0)::DOUBLE AS "inputTokens", coalesce(sum(output_tokens), 0)::DOUBLE AS "outputTokens"
     FROM ${file}`,
  );
  const classes = await duck.rows<{ class: OutcomeClass; n: number }>(
    `SELECT class, count(*)::INTEGER AS n FROM ${file} GROUP BY 1`,
  );
  return {
    ...(sums ?? { rows: 0, ordinals: 0, own: 0, inputTokens: 0, outputTokens: 0 }),
    counts: Object.fromEntries(classes.map((row) => [row.class, row.n])),
  };
}

/**
 * Requests of one account that were answered, and so charged, more than once; the first few with what they were for.
 * What was no answer when the next was bought, or is none any more, is a reason to buy and not a mistake.
 */
export async function boughtTwice(
  duck: Duck,
  limit: number,
): Promise<{ readonly requests: number; readonly examples: readonly BoughtTwice[] }> {
  const rows = await duck.rows<BoughtTwice & { requests: number }>(
    `SELECT request, times, place, (count(*) OVER ())::INTEGER AS requests FROM (
       SELECT i.request::VARCHAR AS request, count(*)::INTEGER AS times,
         string_agg('run ' || a.run || ' shard ' || a.shard, ', ' ORDER BY a.run, a.shard) AS place
       FROM attempt a JOIN item i USING (run, ordinal) JOIN run r USING (run)
       WHERE a.class = 'ok' AND a.first_class IS NULL GROUP BY r.account, i.request HAVING count(*) > 1)
     ORDER BY request LIMIT ${limit}`,
  );
  return { requests: rows[0]?.requests ?? 0, examples: rows };
}

export interface BoughtTwice {
  readonly request: string;
  readonly times: number;
  readonly place: string;
}

/** How the rows of a sink's file differ from those that its proof speaks of. */
export interface SinkRows {
  readonly expected: number;
  readonly found: number;
  readonly missing: number;
  readonly surplus: number;
  /** Readable ids of the first few of either. */
  readonly examples: readonly string[];
}

/**
 * Compares a Parquet sink row by row with the answers that were settled up to `throughSeq`: each must stand there
 * once, and nothing else. Rows are told apart by readable id, run and request hash.
 * @throws Error where the file cannot be read as Parquet, or lacks our columns.
 */
export async function sinkRows(
  duck: Duck,
  path: string,
  order: AnswersOrder,
  throughSeq: number,
): Promise<SinkRows> {
  const wanted = `SELECT a.custom_id, a.run, a.hash, 1 AS wanted, 0 AS there FROM (${answersSelect(order)}) a
    JOIN answer w ON w.run = a.run AND w.request = a.hash::UUID WHERE w.settled_seq <= ${throughSeq}`;
  const there = `SELECT _custom_id, _run, _hash, 0, 1 FROM read_parquet(${sqlText(path)})`;
  const [sums] = await duck.rows<Omit<SinkRows, 'examples'> & { examples: string | null }>(
    `SELECT coalesce(sum(wanted), 0)::INTEGER AS expected, coalesce(sum(there), 0)::INTEGER AS found,
       coalesce(sum(greatest(wanted - there, 0)), 0)::INTEGER AS missing,
       coalesce(sum(greatest(there - wanted, 0)), 0)::INTEGER AS surplus,
       to_json(min(custom_id, 3) FILTER (wanted <> there))::VARCHAR AS examples
     FROM (SELECT custom_id, sum(wanted) AS wanted, sum(there) AS there FROM (${wanted} UNION ALL ${there})
       GROUP BY custom_id, run, hash)`,
  );
  if (sums === undefined) return { expected: 0, found: 0, missing: 0, surplus: 0, examples: [] };
  return { ...sums, examples: sums.examples === null ? [] : (JSON.parse(sums.examples) as string[]) };
}
