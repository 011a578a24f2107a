import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StateConflict } from '../errors.ts';
import { digestOfFile, isCode, readTextOrNull } from '../files.ts';
import { segmentName } from '../journal/segment.ts';
import type { JournalState } from '../journal/state.ts';
import type { Store } from '../store/port.ts';

/** What a committed `status.json` says about the journal it was written from. */
interface Witness {
  readonly file: string;
  readonly lineage: string;
  readonly seq: number;
  readonly head: string;
}

/**
 * Compares the journal with what git has seen of it. A committed report that knows of a journal which the store does
 * not have, or of a newer one, means that state is missing: sending now would pay twice.
 * @throws StateConflict
 */
export async function checkTripwire(stateFolder: string, state: JournalState, store: Store): Promise<void> {
  for (const witness of await witnesses(stateFolder)) {
    const problem = contradiction(witness, state) ?? (await otherSegment(witness, store));
    if (problem !== null) throw conflict(witness, problem);
  }
}

function contradiction(witness: Witness, state: JournalState): string | null {
  if (state.lineage === null) return 'the store has no journal at all';
  if (state.lineage !== witness.lineage) return `the store has another journal (lineage ${state.lineage})`;
  if (state.seq < witness.seq) return `the store's journal ends at ${state.seq}`;
  return null;
}

/** The store goes on from where git saw it only if it holds the very segment that git saw. */
async function otherSegment(witness: Witness, store: Store): Promise<string | null> {
  const path = await store.get(segmentName(witness.seq));
  if (path === null) return `the store does not have segment ${witness.seq}`;
  const { digest } = await digestOfFile(path);
  return digest === witness.head ? null : `the store's segment ${witness.seq} is another one`;
}

function conflict(witness: Witness, problem: string): StateConflict {
  return new StateConflict(
    `${witness.file} was written from journal ${witness.lineage} at segment ${witness.seq}, but ${problem}. Nothing was sent.`,
    'Bring the state back (the journal folder and the runs beside it). Only if that work is truly to be forgotten, delete the status.json files in a reviewed commit.',
  );
}

async function witnesses(stateFolder: string): Promise<Witness[]> {
  const found: Witness[] = [];
  for (const job of await foldersIn(stateFolder)) {
    const file = join(stateFolder, job, 'status.json');
    const witness = witnessOf(file, await readTextOrNull(file));
    if (witness !== null) found.push(witness);
  }
  return found;
}

/** A report that cannot be read proves nothing either way; it is written anew. */
function witnessOf(file: string, text: string | null): Witness | null {
  if (text === null) return null;
  try {
    const { journal } = JSON.parse(text) as {
      journal?: { lineage?: unknown; seq?: unknown; head?: unknown };
    };
    const { lineage, seq, head } = journal ?? {};
    if (typeof lineage !== 'string' || typeof seq !== 'number' || typeof head !== 'string') return null;
    return { file, lineage, seq, head };
  } catch {
    return null;
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}
