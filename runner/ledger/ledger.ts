import { join } from 'node:path';
import { type Duck, sqlText } from '../duck.ts';
import { DamagedFiles } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import { isDuckError } from '../machine-trouble.ts';
import { decisionsHold } from './decisions.ts';
import { registerExactColumn } from './exact-column.ts';
import { factsDigest, factsKey } from './facts-key.ts';
import { type Ask, askedDuck, healingAsk } from './healing.ts';
import type { ProjectionInput } from './input.ts';
import { forget } from './memo.ts';
import { IN_MEMORY, openLedgerFile, removeLedgerFile } from './open.ts';
import { isLedgerTrouble, openSomewhere, type Placed } from './places.ts';
import { project } from './project.ts';
import { fileViews } from './views.ts';

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
  return new LiveLedger(input, await openAt(input, input));
}

function openAt({ path, work }: LedgerInput, input: ProjectionInput): Promise<Placed<Projected>> {
  return openSomewhere(path, work, (place) => openProjected(place, input));
}

/** Whoever asks it need not know that it is another one by now. */
class LiveLedger implements Ledger {
  readonly job: JobName;
  readonly ask: Ask;
  readonly duck: Duck;
  readonly #input: LedgerInput;
  #latest: ProjectionInput;
  #placed: Placed<Projected>;
  /** Null once a projection has failed: then nobody knows what the ledger holds, and the next one compares all of it. */
  #written: Written | null;

  constructor(input: LedgerInput, placed: Placed<Projected>) {
    this.job = input.job;
    this.#input = input;
    this.#latest = input;
    this.#placed = placed;
    this.#written = placed.opened.written;
    const current = () => this.#placed.opened.duck;
    const remake = () => this.#remake();
    this.ask = healingAsk({ current, remake, proveFiles: () => this.prove() });
    this.duck = askedDuck(this.ask, current);
  }

  get notKept(): string | null {
    return this.#placed.notKept;
  }

  prove(): Promise<void> {
    return this.#latest.proveFiles();
  }

  async update(next: ProjectionInput): Promise<void> {
    this.#latest = next;
    if (this.#written?.key === factsKey(next)) return;
    const before = this.#written;
    this.#written = null;
    forget(this.duck);
    try {
      this.#written = await projectNews(this.#placed.opened.duck, next, before);
    } catch (error) {
      if (error instanceof DamagedFiles) throw error;
      if (!isLedgerTrouble(error)) throw await blameFiles(error, next);
      await this.#reopen();
    }
  }

  close(): void {
    this.#placed.opened.duck.close();
  }

  async discard(): Promise<void> {
    this.close();
    if (this.#placed.place !== IN_MEMORY) await removeLedgerFile(this.#placed.place);
  }

  /** As it is it would open without a word: what is wrong with it lies in a block that opening does not read. */
  async #remake(): Promise<void> {
    await this.discard();
    await this.#reopen();
  }

  async #reopen(): Promise<void> {
    this.#written = null;
    this.close();
    this.#placed = await openAt(this.#input, this.#latest);
    this.#written = this.#placed.opened.written;
  }
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
    throw await blameFiles(error, input);
  }
}

/**
 * What DuckDB cannot make sense of may be a stored file: one whose end is damaged is no Parquet file, which it says when a
 * view is made over it.
 * @returns the error as it was, where every file is as it was written
 * @throws DamagedFiles where one is not
 */
async function blameFiles(error: unknown, { proveFiles }: ProjectionInput): Promise<unknown> {
  if (isDuckError(error) && !isLedgerTrouble(error)) await proveFiles();
  return error;
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

/** Where a job's ledger stands below the state folder. */
export function ledgerPath(stateFolder: string, job: JobName): string {
  return join(stateFolder, job, 'ledger.duckdb');
}
