import { type Duck, scratchDuck, sqlText } from '../../duck.ts';
import { effect } from '../../effects.ts';
import { sizeOf } from '../../files.ts';
import { ANSWERED, mayBeBilled } from '../../outcome/account.ts';
import {
  type LinesRead,
  OUTCOME_COLUMNS,
  type OutcomeClass,
  type OutcomeSummary,
  type Usage,
} from '../../outcome/outcome.ts';

/** What became of rows that ended so before, and how many. */
export interface OutcomeChange {
  readonly from: OutcomeClass;
  readonly to: OutcomeClass;
  readonly rows: number;
}

export interface MergedOutcomes {
  readonly outcomesPath: string;
  readonly changes: readonly OutcomeChange[];
  readonly summary: OutcomeSummary;
  readonly wasted: Usage;
  readonly duplicated: Usage;
}

export interface MergeOrder {
  /** The outcomes as they stand, and as they were just read: Parquet files of the same rows. */
  readonly before: string;
  readonly fresh: string;
  /** False: rows with an accepted answer stay as they stand. */
  readonly all: boolean;
  readonly lines: LinesRead;
  /** Where the result goes. */
  readonly path: string;
}

/** Of which a person has an answer: another reading leaves them alone. */
const KEPT = `class IN ('ok', 'duplicate') OR (class = 'late' AND answer IS NOT NULL)`;

/** Puts two readings of the same batch together, and tells what is different. */
export async function mergeOutcomes(order: MergeOrder): Promise<MergedOutcomes> {
  const { before, fresh, all, lines, path } = order;
  const bytes = ((await sizeOf(before)) ?? 0) + ((await sizeOf(fresh)) ?? 0);
  const duck = await scratchDuck(bytes * 10, { memoryLimit: '400MB' });
  try {
    const kept = all ? 'false' : KEPT;
    effect('file.write', path);
    await duck.run(
      `COPY (SELECT n.ordinal, ${columnsOf(kept)} FROM ${file(fresh)} n JOIN ${file(before)} o USING (ordinal) ORDER BY n.ordinal)
       TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 10000)`,
    );
    const changes = await duck.rows<OutcomeChange>(
      `SELECT o.class AS "from", n.class AS "to", count(*)::INTEGER AS rows
       FROM ${file(path)} n JOIN ${file(before)} o USING (ordinal)
       WHERE n.class <> o.class OR n.answer IS DISTINCT FROM o.answer GROUP BY ALL ORDER BY rows DESC, 1, 2`,
    );
    return { outcomesPath: path, changes, ...(await summarise(duck, path, lines)) };
  } finally {
    duck.close();
  }
}

function file(path: string): string {
  return `read_parquet(${sqlText(path)})`;
}

function columnsOf(kept: string): string {
  return COLUMNS.map(
    (name) =>
      `CASE WHEN ${kept.replaceAll(/\b(class|answer)\b/g, 'o.$1')} THEN o.${name} ELSE n.${name} END AS ${name}`,
  ).join(', ');
}

const COLUMNS = OUTCOME_COLUMNS.filter((name) => name !== 'ordinal');

interface Sums {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
  readonly reasoning: number;
}

/** What `settleRaw` counts while it reads, from the file: the two must not differ. */
async function summarise(
  duck: Duck,
  path: string,
  lines: LinesRead,
): Promise<Pick<MergedOutcomes, 'summary' | 'wasted' | 'duplicated'>> {
  const groups = await duck.rows<{ class: OutcomeClass; cause: string; n: number; unknown: number }>(
    `SELECT class, cause, count(*)::INTEGER AS n, (count(*) FILTER (input_tokens IS NULL))::INTEGER AS unknown
     FROM ${file(path)} GROUP BY class, cause ORDER BY class, cause`,
  );
  const counts = new Map<OutcomeClass, number>();
  for (const group of groups) counts.set(group.class, (counts.get(group.class) ?? 0) + group.n);
  const models = await duck.rows<{ name: string; n: number }>(
    `SELECT coalesce(model, 'unknown') AS name, count(*)::INTEGER AS n FROM ${file(path)}
     WHERE model IS NOT NULL OR class IN (${[...ANSWERED].map(sqlText).join(', ')}) GROUP BY 1 ORDER BY 1`,
  );
  return {
    summary: {
      counts: Object.fromEntries(counts),
      usage: await usageWhere(duck, path, 'true'),
      withoutUsage: groups.filter(mayBeBilled).reduce((sum, { unknown }) => sum + unknown, 0),
      models: Object.fromEntries(models.map((row) => [row.name, row.n])),
      lines,
    },
    wasted: await usageWhere(duck, path, `class <> 'ok' AND answer IS NULL`),
    duplicated: await usageWhere(duck, path, `class = 'duplicate'`),
  };
}

async function usageWhere(duck: Duck, path: string, condition: string): Promise<Usage> {
  const sum = (column: string) => `coalesce(sum(${column}), 0)::DOUBLE`;
  const [row] = await duck.rows<Sums>(
    `SELECT ${sum('input_tokens')} AS input, ${sum('output_tokens')} AS output, ${sum('cached_tokens')} AS cached,
       ${sum('cache_write_tokens')} AS written, ${sum('reasoning_tokens')} AS reasoning
     FROM ${file(path)} WHERE ${condition}`,
  );
  return {
    inputTokens: row?.input ?? 0,
    outputTokens: row?.output ?? 0,
    cachedTokens: row?.cached ?? 0,
    cacheWriteTokens: row?.written ?? 0,
    reasoningTokens: row?.reasoning ?? 0,
  };
}
