import { type Duck, sqlText } from '../duck.ts';
import type { Decision, Disposition, Verdict } from '../outcome/disposition.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';

/** A row of a manifest with everything that was frozen of it. */
export interface FrozenItem {
  readonly run: number;
  readonly ordinal: number;
  /** Null where the row was set aside for want of a key. */
  readonly key: string | null;
  readonly customId: string | null;
  readonly inputHash: string;
  readonly requestHash: string | null;
  /** Null where the row could not be read, such as a line of a CSV with a field too many. */
  readonly rowJson: string | null;
  readonly bodyJson: string | null;
  readonly bodyBytes: number;
  readonly inputTokens: number;
  readonly problem: string | null;
  readonly problemDetail: string | null;
}

/**
 * The rows that have one of these keys, over all runs of the job, oldest run first. A row without a key is found by
 * what the reports call it: `row 7`.
 */
export async function itemsByKey(duck: Duck, keys: readonly string[]): Promise<FrozenItem[]> {
  const wanted = keys.map(sqlText).join(', ');
  return duck.rows(
    `SELECT run, ordinal, key, custom_id AS "customId", input_hash AS "inputHash", request_hash AS "requestHash",
       row_json AS "rowJson", body_json AS "bodyJson", body_bytes AS "bodyBytes", input_tokens AS "inputTokens",
       problem, problem_detail AS "problemDetail"
     FROM manifest WHERE key IN (${wanted}) OR (key IS NULL AND 'row ' || (ordinal + 1) IN (${wanted}))
     ORDER BY run, ordinal`,
  );
}

/** What became of an item, and where the answer to its request stands: another item or run may have bought it. */
export interface ItemStanding {
  readonly disposition: Disposition;
  readonly verdict: Verdict;
  readonly answerRun: number | null;
  readonly answerShard: number | null;
  readonly answerOrdinal: number | null;
}

export async function standingOf(duck: Duck, run: number, ordinal: number): Promise<ItemStanding | null> {
  const [row] = await duck.rows<ItemStanding>(
    `SELECT disposition, verdict, answer_run AS "answerRun", answer_shard AS "answerShard",
       answer_ordinal AS "answerOrdinal"
     FROM disposition WHERE run = $run AND ordinal = $ordinal`,
    { run, ordinal },
  );
  return row ?? null;
}

/** A try at an item, as its outcomes file tells it; `class` and what follows are null while it is open. */
export interface TriedItem {
  readonly shard: number;
  readonly class: OutcomeClass | null;
  /** What it was first read as, where an edited schema or another reading has made `class` of it; null where none has. */
  readonly firstClass: OutcomeClass | null;
  /** What was decided about it; null for an answer and while it is open. */
  readonly decision: Decision | null;
  readonly cause: string | null;
  readonly detail: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly model: string | null;
  readonly responseId: string | null;
}

/** In the order of the tries. */
export async function triesOf(duck: Duck, run: number, ordinal: number): Promise<TriedItem[]> {
  return duck.rows(
    `SELECT a.shard, a.class::VARCHAR AS class, a.first_class::VARCHAR AS "firstClass", l.decision, o.cause, o.detail, o.input_tokens AS "inputTokens",
       o.output_tokens AS "outputTokens", o.cached_tokens AS "cachedTokens", o.cache_write_tokens AS "cacheWriteTokens", o.reasoning_tokens AS "reasoningTokens",
       o.model, o.response_id AS "responseId"
     FROM attempt a
       LEFT JOIN retry_ledger l ON l.run = a.run AND l.ordinal = a.ordinal AND l.shard = a.shard
       LEFT JOIN (${OUTCOMES}) o ON o.run = a.run AND o.ordinal = a.ordinal AND o.shard = a.shard
     WHERE a.run = $run AND a.ordinal = $ordinal ORDER BY a.shard`,
    { run, ordinal },
  );
}

/** Files of earlier versions say nothing of what was written to the cache. */
const OUTCOMES =
  'FROM outcome WHERE ordinal = $ordinal UNION ALL BY NAME SELECT NULL::INTEGER AS cache_write_tokens WHERE false';

/** The outcome that an item's verdict rests on, and the key of the row that it was bought for. */
export interface BoughtOutcome {
  readonly key: string | null;
  readonly class: OutcomeClass;
  readonly cause: string;
  readonly detail: string | null;
  /** JSON text; null unless `ok`. */
  readonly answer: string | null;
  readonly model: string | null;
  readonly responseId: string | null;
}

export async function outcomeAt(
  duck: Duck,
  run: number,
  shard: number,
  ordinal: number,
): Promise<BoughtOutcome | null> {
  const [row] = await duck.rows<BoughtOutcome>(
    `SELECT m.key, o.class, o.cause, o.detail, o.answer, o.model, o.response_id AS "responseId"
     FROM outcome o LEFT JOIN manifest m ON m.run = o.run AND m.ordinal = o.ordinal
     WHERE o.run = $run AND o.shard = $shard AND o.ordinal = $ordinal`,
    { run, shard, ordinal },
  );
  return row ?? null;
}

/** Whoever else has sent this very request and waits for it: then the item waits for that answer. */
export async function openElsewhere(
  duck: Duck,
  run: number,
  ordinal: number,
): Promise<{ run: number; shard: number; key: string | null } | null> {
  const [row] = await duck.rows<{ run: number; shard: number; key: string | null }>(
    `SELECT a.run, a.shard, m.key FROM item mine
       JOIN run mine_run ON mine_run.run = mine.run
       JOIN item other ON other.request = mine.request AND (other.run, other.ordinal) <> (mine.run, mine.ordinal)
       JOIN run other_run ON other_run.run = other.run AND other_run.account = mine_run.account
       JOIN attempt a ON a.run = other.run AND a.ordinal = other.ordinal AND a.class IS NULL
       LEFT JOIN manifest m ON m.run = other.run AND m.ordinal = other.ordinal
     WHERE mine.run = $run AND mine.ordinal = $ordinal ORDER BY a.run, a.shard LIMIT 1`,
    { run, ordinal },
  );
  return row ?? null;
}

/** Keys that a person may have meant: they hold what was written, or differ by a third of its letters at most. */
export async function nearKeys(duck: Duck, written: string, limit: number): Promise<string[]> {
  const text = `lower(${sqlText(written)})`;
  const most = Math.max(1, Math.floor(written.length / 3));
  const rows = await duck.rows<{ key: string }>(
    `SELECT key FROM (SELECT DISTINCT key FROM manifest WHERE key IS NOT NULL)
     WHERE contains(lower(key), ${text})
       OR (abs(length(key) - ${written.length}) <= ${most} AND damerau_levenshtein(lower(key), ${text}) <= ${most})
     ORDER BY damerau_levenshtein(lower(key), ${text}), key LIMIT ${limit}`,
  );
  return rows.map((row) => row.key);
}

/** A key of the newest run, to show how keys look. */
export async function someKey(duck: Duck): Promise<string | null> {
  const [row] = await duck.rows<{ key: string }>(
    'SELECT key FROM manifest WHERE key IS NOT NULL ORDER BY run DESC, ordinal LIMIT 1',
  );
  return row?.key ?? null;
}
