import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import { StateConflict } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import { segmentName } from '../journal/segment.ts';
import { gap } from '../journal/start.ts';
import type { JournalState } from '../journal/state.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import { foldersOf } from '../plan/stored.ts';
import type { NamedSource, Store } from '../store/port.ts';
import { proveFiles, storedPath } from './stored.ts';
import { checkChain, foldReadable, readSegments } from './verify/chain.ts';
import { namedFiles } from './verify/files.ts';

export interface Copied {
  readonly segments: number;
  readonly files: number;
  readonly bytes: number;
  readonly lineage: string | null;
  readonly seq: number;
}

/**
 * Copies a journal and every file that it names into another store, files first. May be repeated: what is there is
 * left. The source stays as it is.
 * @throws DamagedFiles where a file of the source is not as it was written
 * @throws StateConflict where the journal of the source is not whole, or the target has another journal or a longer one
 */
export async function copyState(from: Store, to: Store): Promise<Copied> {
  const segments = await readSegments(from);
  if (checkChain(segments).state !== 'proved') throw notWhole(from);
  const state = foldReadable(segments);
  await requireSameStart(from, to, state);
  const files = (Object.keys(state.jobs) as JobName[]).flatMap((job) => filesOf(state, segments, job));
  const sources: NamedSource[] = [];
  // Another store would keep whatever it was given, and call it whole.
  await proveFiles(from, files);
  for (const file of files) sources.push({ name: file.name, source: { path: await storedPath(from, file) } });
  for (let seq = 1; seq <= state.seq; seq += 1) {
    const name = segmentName(seq);
    const path = await from.get(name);
    if (path === null) throw gap(seq);
    sources.push({ name, source: { path } });
  }
  await to.putInOrder(sources);
  await requireSameEnd(to, state);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { segments: state.seq, files: files.length, bytes, lineage: state.lineage, seq: state.seq };
}

function filesOf(
  state: JournalState,
  segments: Awaited<ReturnType<typeof readSegments>>,
  job: JobName,
): StoredFile[] {
  const dropped = jobState(state, job).runs.filter((run) => run.dropped !== undefined);
  const gone = new Set(dropped.flatMap((run) => foldersOf(state, run)));
  return namedFiles(segments, job).filter(({ name }) => !gone.has(dirname(name)));
}

/** Whatever the target has must be the beginning of what the source has. */
async function requireSameStart(from: Store, to: Store, state: JournalState): Promise<void> {
  const there = (await readSegments(to)).length;
  for (let seq = 1; seq <= there; seq += 1) {
    const [theirs, ours] = [await to.get(segmentName(seq)), await from.get(segmentName(seq))];
    if (seq > state.seq || ours === null || theirs === null) throw another(to, `a longer journal`);
    if (!(await readFile(theirs)).equals(await readFile(ours)))
      throw another(to, `another journal (from segment ${seq} on)`);
  }
}

async function requireSameEnd(to: Store, state: JournalState): Promise<void> {
  const copied = foldReadable(await readSegments(to));
  if (copied.head !== state.head) throw another(to, 'another journal now: somebody wrote to it meanwhile');
}

function notWhole(from: Store): StateConflict {
  return new StateConflict(
    `The journal of store ${from.kind} at ${from.place} is not whole. Nothing was copied.`,
    '`batchwright verify` names what is wrong.',
  );
}

function another(to: Store, what: string): StateConflict {
  return new StateConflict(
    `Store ${to.kind} at ${to.place} has ${what}. Nothing of it was changed.`,
    'Copy into an empty place: another `store.prefix` or `store.path`.',
  );
}
