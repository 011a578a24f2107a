import { join } from 'node:path';
import { type Duck, sqlText, sqlTexts } from '../duck.ts';
import { DamagedFiles } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import { decisionsHold } from './decisions.ts';
import { registerExactColumn } from './exact-column.ts';
import { factsDigest, factsKey } from './facts-key.ts';
import { type Ask, askedDuck, healingAsk } from './healing.ts';
import type { ProjectionInput } from './input.ts';
import { forget } from './memo.ts';
import { IN_MEMORY, openLedgerFile, removeLedgerFile } from './open.ts';
import { isLedgerTrouble, openSomewhere } from './places.ts';
import { project } from './project.ts';

/** An open ledger of one job, up to date with the fold it was given. Close it: the file is locked while it is open. */
export interface Ledger {
  readonly job: JobName;
  readonly duck: Duck;
  /** For questions of several statements. */
  readonly ask: Ask;
  /** Reads the files behind its views through: before an answer is taken from them. @throws DamagedFiles */
  prove(): Promise<void>;
  /** Why this one is private and goes when it is closed; null where it stays, or where another process has its file open. */
  readonly notKept: string | null;
  /**
   * Brings it up to a later fold of the same journal. Does nothing where the news has no bearing on any item, so that
   * the file may stay behind the journal: whoever opens it next projects the rest.
   */
  update(input: ProjectionInput): Promise<void>;
  close(): void;
  /** Closes it for good, and removes its file: whoever opens it next makes it anew. */
  discard(): Promise<void>;
}

export interface LedgerInput extends ProjectionInput {
  /** Where the ledger's file belongs. */
  readonly path: string;
  /** A folder for a private ledger, should the file be locked. */
  readonly work: string;
}

/**
 * Opens the job's ledger and projects the journal's news into it; makes it anew where it is of another history, or
 * damaged, at once or whenever that shows.
 * @throws DamagedFiles where a stored file is not as it was written
 */
export async function openLedger(input: LedgerInput): Promise<Ledger> {
  const openAt = (next: ProjectionInput) =>
    openSomewhere(input.path, input.work, (path) => openProjected(path, next));
  let { opened, place, notKept } = await openAt(input);
  /** Null once a projection has failed: then nobody knows what the ledger holds, and the next one compares all of it. */
  let written: Written | null = opened.written;
  let latest: ProjectionInput = input;

  async function reopen(): Promise<void> {
    written = null;
    opened.duck.close();
    ({ opened, place, notKept } = await openAt(latest));
    written = opened.written;
  }

  async function discard(): Promise<void> {
    opened.duck.close();
    if (place !== IN_MEMORY) await removeLedgerFile(place);
  }

  /** As it is it would open without a word: what is wrong with it lies in a block that opening does not read. */
  async function remake(): Promise<void> {
    await discard();
    await reopen();
  }

  const current = () => opened.duck;
  const ask = healingAsk({ current, remake, proveFiles: () => latest.proveFiles() });
  const duck = askedDuck(ask, current);
  return {
    job: input.job,
    duck,
    ask,
    prove: () => latest.proveFiles(),
    get notKept() {
      return notKept;
    },
    async update(next) {
      latest = next;
      if (written?.key === factsKey(next)) return;
      const before = written;
      written = null;
      forget(duck);
      try {
        written = await projectNews(opened.duck, next, before);
      } catch (error) {
        if (error instanceof DamagedFiles || !isLedgerTrouble(error)) throw error;
        await reopen();
      }
    },
    close: () => opened.duck.close(),
    discard,
  };
}

/** What was last written into a ledger: the tables by this input, and the views. */
interface Written {
  readonly input: ProjectionInput;
  readonly key: string;
  readonly views: readonly string[];
}

interface Projected {
  readonly duck: Duck;
  readonly written: Written;
}

async function openProjected(path: string, input: ProjectionInput): Promise<Projected> {
  let duck = await openLedgerFile(path);
  try {
    const standing = await standingOf(duck, input);
    if (standing === 'foreign') {
      duck.close();
      await removeLedgerFile(path);
      duck = await openLedgerFile(path);
    }
    if (standing !== 'current') await project(duck, input, null);
    const views = await fileViews(input);
    for (const view of views) await duck.run(view);
    await registerExactColumn(duck);
    return { duck, written: { input, key: factsKey(input), views } };
  } catch (error) {
    duck.close();
    throw error;
  }
}

async function projectNews(duck: Duck, next: ProjectionInput, before: Written | null): Promise<Written> {
  await project(duck, next, before?.input ?? null);
  const views = await fileViews(next);
  for (const view of views) if (!before?.views.includes(view)) await duck.run(view);
  return { input: next, key: factsKey(next), views };
}

/**
 * A ledger ahead of the journal, or of another lineage, would invent answers: it is `foreign`, and thrown away.
 * `current`: nothing has been said since it was last projected, and the job file asks for nothing else.
 */
async function standingOf(duck: Duck, input: ProjectionInput): Promise<'foreign' | 'behind' | 'current'> {
  const { state } = input;
  const [meta] = await duck.rows<{
    lineage: string | null;
    journal_seq: number;
    head: string | null;
    facts: string | null;
  }>('SELECT * FROM meta');
  if (meta === undefined) return 'foreign';
  if (meta.journal_seq === 0) return 'behind';
  if (meta.lineage !== state.lineage || meta.journal_seq > state.seq) return 'foreign';
  if (await hasOtherRuns(duck, input)) return 'foreign';
  if (meta.journal_seq < state.seq) return 'behind';
  if (meta.head !== state.head) return 'foreign';
  const isCurrent = meta.facts === factsDigest(input) && (await decisionsHold(duck, input.retry));
  return isCurrent ? 'current' : 'behind';
}

/** True where it knows of runs that the fold has no more: their files were dropped, and so are their answers. */
export async function hasOtherRuns(duck: Duck, { state, job }: ProjectionInput): Promise<boolean> {
  // By more than the number: the name of a job that was renamed can be another job's, whose runs begin at 1 again.
  const runs = jobState(state, job).runs.map(
    ({ run, manifest, frozenAt }) => `(${run}, ${sqlText(manifest.digest)}, ${sqlText(frozenAt)}::TIMESTAMP)`,
  );
  const [row] = await duck.rows<{ found: boolean }>(
    `SELECT count(*) > 0 AS found FROM run WHERE (run, manifest, frozen_at) NOT IN (VALUES ${runs.join(', ')})`,
  );
  return row?.found ?? false;
}

/** Views over Parquet: made anew at each opening, since they hold this checkout's paths. */
async function fileViews(input: ProjectionInput): Promise<readonly string[]> {
  const { runs } = jobState(input.state, input.job);
  return [
    `CREATE OR REPLACE VIEW manifest AS ${await manifestSelect(runs, input)}`,
    `CREATE OR REPLACE VIEW outcome AS ${await outcomeSelect(runs, input)}`,
  ];
}

async function manifestSelect(runs: readonly RunState[], input: ProjectionInput): Promise<string> {
  const selects: string[] = [];
  for (const run of runs) {
    const parts = await Promise.all(run.manifest.parts.map((part) => input.pathOf(part)));
    if (parts.length === 0) continue;
    selects.push(
      `SELECT ${run.run} AS run, ordinal, key, custom_id, input_hash, request_hash, frozen[1] AS row_json,
         frozen[2] AS body_json, body_bytes, input_tokens, problem, problem_detail FROM read_parquet(${sqlTexts(parts)})`,
    );
  }
  return selects.length === 0 ? NO_MANIFEST : selects.join(' UNION ALL ');
}

const NO_MANIFEST = `SELECT NULL::INTEGER AS run, NULL::INTEGER AS ordinal, NULL::VARCHAR AS key, NULL::VARCHAR AS custom_id,
  NULL::VARCHAR AS input_hash, NULL::VARCHAR AS request_hash, NULL::VARCHAR AS row_json, NULL::VARCHAR AS body_json,
  NULL::INTEGER AS body_bytes, NULL::INTEGER AS input_tokens, NULL::VARCHAR AS problem, NULL::VARCHAR AS problem_detail LIMIT 0`;

async function outcomeSelect(runs: readonly RunState[], input: ProjectionInput): Promise<string> {
  const selects: string[] = [];
  for (const intent of runs.flatMap((run) => run.intents).map((id) => input.state.intents[id])) {
    if (intent?.settled == null) continue;
    const path = await input.pathOf(intent.settled.outcomes);
    selects.push(
      `SELECT ${intent.run} AS run, ${intent.shard} AS shard, * FROM read_parquet(${sqlText(path)})`,
    );
  }
  // By name: files of earlier versions lack a column.
  return selects.length === 0 ? NO_OUTCOME : selects.join(' UNION ALL BY NAME ');
}

const NO_OUTCOME = `SELECT NULL::INTEGER AS run, NULL::INTEGER AS shard, NULL::INTEGER AS ordinal, NULL::VARCHAR AS class,
  NULL::VARCHAR AS cause, NULL::VARCHAR AS detail, NULL::VARCHAR AS answer, NULL::VARCHAR AS said, NULL::INTEGER AS input_tokens,
  NULL::INTEGER AS output_tokens, NULL::INTEGER AS cached_tokens, NULL::INTEGER AS reasoning_tokens, NULL::VARCHAR AS model,
  NULL::VARCHAR AS response_id, NULL::INTEGER AS cache_write_tokens LIMIT 0`;

/** Where a job's ledger stands below the state folder. */
export function ledgerPath(stateFolder: string, job: JobName): string {
  return join(stateFolder, job, 'ledger.duckdb');
}
