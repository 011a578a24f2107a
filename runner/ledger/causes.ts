import type { Duck } from '../duck.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import type { Rejection } from '../outcome/rejection.ts';
import { remembered } from './memo.ts';

/** How many attempts ended so. */
export interface CauseCount {
  readonly class: OutcomeClass;
  readonly cause: string;
  readonly attempts: number;
}

/** One attempt without an accepted answer, as its outcomes file has it. */
export interface BadAnswer {
  readonly key: string;
  readonly class: OutcomeClass;
  readonly cause: string;
  /** The provider's or the validator's words. */
  readonly detail: string | null;
  /** What the model said. */
  readonly said: string | null;
}

/** An `ok` is none, and lines of second batches decide nothing. */
const BAD = `class NOT IN ('ok', 'duplicate', 'late')`;

/** Why attempts of these shards of a run brought no answer, most frequent first. */
export function countCauses(duck: Duck, run: number, shards: readonly number[]): Promise<CauseCount[]> {
  if (shards.length === 0) return Promise.resolve([]);
  return remembered(duck, `causes ${run} ${shards}`, () =>
    duck.rows(
      `SELECT class, cause, count(*)::INTEGER AS attempts FROM outcome
       WHERE run = $run AND shard IN (${shards.join(', ')}) AND ${BAD}
       GROUP BY class, cause ORDER BY attempts DESC, class, cause`,
      { run },
    ),
  );
}

/** One of the most frequent cause, the first of the newest shard; null where there is none. */
export async function pickExample(
  duck: Duck,
  run: number,
  shards: readonly number[],
): Promise<BadAnswer | null> {
  const [top] = await countCauses(duck, run, shards);
  if (top === undefined) return null;
  const name = `example ${run} ${shards}`;
  const found = await remembered(duck, name, () =>
    duck.rows<BadAnswer>(
      `SELECT coalesce(m.key, 'row ' || (o.ordinal + 1)) AS key, o.class, o.cause, o.detail, o.said
       FROM (SELECT * FROM outcome WHERE run = $run AND shard IN (${shards.join(', ')}) AND class = $class AND cause = $cause
             ORDER BY shard DESC, ordinal LIMIT 1) o
         JOIN manifest m ON m.run = o.run AND m.ordinal = o.ordinal`,
      { run, class: top.class, cause: top.cause },
    ),
  );
  return found[0] ?? null;
}

/** Of these shards, of which every line was an invalid request, those where all were so for one cause. */
export function findRejections(
  duck: Duck,
  run: number,
  shards: readonly number[],
): Promise<(Rejection & { readonly shard: number })[]> {
  if (shards.length === 0) return Promise.resolve([]);
  return remembered(duck, `rejections ${run} ${shards}`, () =>
    duck.rows(
      `SELECT shard, count(*)::INTEGER AS rows, min(cause) AS cause, arg_min(detail, ordinal) AS words,
         count(DISTINCT coalesce(detail, '')) = 1 AS alike
       FROM outcome WHERE run = $run AND shard IN (${shards.join(', ')})
       GROUP BY shard HAVING count(DISTINCT cause) = 1 ORDER BY shard`,
      { run },
    ),
  );
}
