import { type Duck, sqlText } from '../duck.ts';
import type { Disposition } from '../outcome/disposition.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import { dispositionCounts } from './books.ts';
import { remembered } from './memo.ts';

/** An item that no pass will mend by itself, with the words of its last outcome. */
export interface NeedyRow {
  readonly key: string;
  readonly disposition: Disposition;
  readonly class: OutcomeClass | 'set_aside';
  readonly cause: string;
  readonly detail: string | null;
  /** The model's words, cut; null where it said nothing. */
  readonly said: string | null;
  /** It was last tried in a shard that stopped the run: what lifts that decides about it too. */
  readonly stopped: boolean;
}

/** How many rows ended so, and up to three of their keys. */
export interface NeedyGroup {
  readonly class: OutcomeClass | 'set_aside';
  readonly cause: string;
  readonly rows: number;
  readonly examples: readonly string[];
  readonly stopped: boolean;
}

const NEEDY_DISPOSITIONS = ['unreadable', 'held', 'failed', 'refused', 'set_aside'] as const;

/**
 * The outcome behind an item's end is that of its last try, or, where an earlier run's refusal carries over, that one.
 * A row that would be tried again waits for a person as well where its shard has stopped the run.
 */
const selectNeedy = (stoppers: readonly number[]) => `SELECT d.run, d.ordinal, d.disposition,
    ${writeTriedIn(stoppers)} AS stopped,
    coalesce(m.key, 'row ' || (d.ordinal + 1)) AS key,
    CASE WHEN d.problem THEN 'set_aside' ELSE coalesce(o.class, d.last_class::VARCHAR, 'missing') END AS class,
    CASE WHEN d.problem THEN m.problem ELSE coalesce(o.cause, '') END AS cause,
    CASE WHEN d.problem THEN m.problem_detail ELSE o.detail END AS detail,
    CASE WHEN d.problem THEN NULL ELSE o.said END AS said
  FROM disposition d JOIN manifest m ON m.run = d.run AND m.ordinal = d.ordinal
    LEFT JOIN outcome o ON o.run = CASE WHEN d.last_shard IS NULL THEN d.answer_run ELSE d.last_run END
      AND o.shard = coalesce(d.last_shard, d.answer_shard)
      AND o.ordinal = CASE WHEN d.last_shard IS NULL THEN d.answer_ordinal ELSE d.last_tried END
  WHERE d.run = $run AND (d.disposition IN (${NEEDY_DISPOSITIONS.map(sqlText).join(', ')})
    OR (d.disposition = 'waiting' AND ${writeTriedIn(stoppers)}))`;

function writeTriedIn(shards: readonly number[]): string {
  if (shards.length === 0) return 'false';
  return `coalesce(d.last_run = $run AND d.last_shard IN (${shards.join(', ')}), false)`;
}

/** @param stoppers the shards of the run for which nothing more of it is sent */
export function needyGroups(duck: Duck, run: number, stoppers: readonly number[]): Promise<NeedyGroup[]> {
  return remembered(duck, `needs ${run} ${stoppers}`, async () => {
    if (!(await isNeedy(duck, run, stoppers))) return [];
    const groups = await duck.rows<Omit<NeedyGroup, 'examples'> & { examples: string }>(
      `SELECT class, cause, stopped, count(*)::INTEGER AS rows, to_json(list(key ORDER BY ordinal)[1:3])::VARCHAR AS examples
       FROM (${selectNeedy(stoppers)}) GROUP BY class, cause, stopped ORDER BY rows DESC, class, cause, stopped`,
      { run },
    );
    return groups.map((group) => ({ ...group, examples: JSON.parse(group.examples) as string[] }));
  });
}

/** The books know at once whether there is anything to look for. */
async function isNeedy(duck: Duck, run: number, stoppers: readonly number[]): Promise<boolean> {
  if (stoppers.length > 0) return true;
  const counts = await dispositionCounts(duck, run);
  return NEEDY_DISPOSITIONS.some((disposition) => (counts[disposition] ?? 0) > 0);
}

/** In the order of the manifest. */
export async function needyRows(duck: Duck, run: number, stoppers: readonly number[]): Promise<NeedyRow[]> {
  if (!(await isNeedy(duck, run, stoppers))) return [];
  return duck.rows(
    `SELECT key, disposition, class, cause, detail, said, stopped FROM (${selectNeedy(stoppers)}) ORDER BY ordinal`,
    { run },
  );
}
