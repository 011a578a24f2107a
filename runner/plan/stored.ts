import { epochMs, type Instant, type JobName } from '../ids.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { JournalState, RunState } from '../journal/state.ts';
import type { StoredFile } from '../manifest/manifest.ts';

/** Pure: the files of a run that the fold names, each once; none where they were dropped. */
export function storedFiles(state: JournalState, run: RunState): StoredFile[] {
  return run.dropped === undefined ? namedFiles(state, run) : [];
}

function namedFiles(state: JournalState, run: RunState): StoredFile[] {
  const files = [
    ...run.manifest.parts,
    run.recipe,
    ...(run.recheck === undefined ? [] : [run.recheck.recipe]),
    ...intentsOf(state, run).flatMap(({ collections, settled }) => [
      ...collections.flatMap((collection) => collection.files.map((file) => file.stored)),
      ...(settled === null ? [] : [settled.outcomes]),
    ]),
  ];
  return [...new Map(files.map((file) => [file.name, file])).values()];
}

/** Pure: the files that answers, books and requests of a job are read from; what its raw files hold stands in them too. */
export function filesRead(state: JournalState, job: JobName): StoredFile[] {
  return jobState(state, job).runs.flatMap((run) => runFilesRead(state, run));
}

/** The same of one run. */
export function runFilesRead(state: JournalState, run: RunState): StoredFile[] {
  const raw = new Set(rawFiles(state, run).map(({ name }) => name));
  return storedFiles(state, run).filter(({ name }) => !raw.has(name));
}

/** Answers of a run as the provider sent them. */
export function rawFiles(state: JournalState, run: RunState): StoredFile[] {
  if (run.dropped !== undefined) return [];
  return intentsOf(state, run).flatMap(({ collections }) =>
    collections.flatMap(({ files }) => files.map(({ stored }) => stored)),
  );
}

export function bytesOf(files: readonly Pick<StoredFile, 'bytes'>[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

/** What the files of all runs of all jobs take. */
export function storedBytes(state: JournalState): number {
  return Object.values(state.jobs)
    .flatMap((job) => job.runs)
    .reduce((sum, run) => sum + bytesOf(storedFiles(state, run)), 0);
}

/**
 * What the answers to so many requests are expected to take. The envelope of an answer compresses to some 90 bytes, a
 * row of outcomes takes some 60 without its answer (measured at a million rows); the answer itself, four bytes a token,
 * stands in both files and compresses to half in each.
 */
export function expectedAnswerBytes(requests: number, outputTokens: number): number {
  return requests * 150 + outputTokens * 4;
}

/** The folders in the store that hold files of a run, or held them: two where the job was renamed meanwhile. */
export function foldersOf(state: JournalState, run: RunState): string[] {
  const names = namedFiles(state, run).map(({ name }) => name.slice(0, name.lastIndexOf('/')));
  return [...new Set(names)];
}

/**
 * Pure: the runs of a job that are old enough to be dropped, oldest first: another one has taken their place, nothing
 * of them is under way or lies at a provider, and nothing was said of them for so long.
 */
export function droppableRuns(state: JournalState, job: JobName, now: Instant, keptMs: number): RunState[] {
  return jobState(state, job)
    .runs.slice(0, -1)
    .filter((run) => run.dropped === undefined && isOver(state, run))
    .filter((run) => epochMs(now) - epochMs(lastSaid(state, run)) >= keptMs);
}

function isOver(state: JournalState, run: RunState): boolean {
  return intentsOf(state, run).every(
    ({ phase, discarded, resultsLost }) => ENDS.has(phase) && (discarded || resultsLost !== null),
  );
}

const ENDS: ReadonlySet<string> = new Set(['settled', 'refused', 'absent']);

function lastSaid(state: JournalState, run: RunState): Instant {
  const times = [
    run.frozenAt,
    ...Object.values(run.applied).map(({ at }) => at),
    ...intentsOf(state, run).flatMap(({ at, settled }) => [at, ...(settled === null ? [] : [settled.at])]),
  ];
  return times.sort().at(-1) ?? run.frozenAt;
}

/** Pure: the fold without runs whose files are gone: what a ledger can be made of. */
export function withoutDropped(state: JournalState, job: JobName): JournalState {
  const known = jobState(state, job);
  const runs = known.runs.filter((run) => run.dropped === undefined);
  if (runs.length === known.runs.length) return state;
  return { ...state, jobs: { ...state.jobs, [job]: { ...known, runs } } };
}
