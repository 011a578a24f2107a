import { readFile } from 'node:fs/promises';
import { StateConflict } from '../errors.ts';
import type { Store } from '../store/port.ts';
import { EMPTY_JOURNAL } from './fold.ts';
import { decodeSegment, type Segment, segmentName } from './segment.ts';
import { decodeSnapshot, snapshotName } from './snapshot.ts';
import type { JournalState } from './state.ts';

/**
 * Where a reader starts: at the newest snapshot, or before the first segment. A snapshot that is damaged, or of another
 * journal, is passed over with a warning.
 * @param newest the number in the newest snapshot's name; 0: there is none
 * @throws StateConflict where the snapshot is of this journal and knows of segments that are gone
 */
export async function startingState(
  store: Store,
  newest: number,
  warn: (text: string) => void,
): Promise<JournalState> {
  const name = snapshotName(newest);
  const path = newest === 0 ? null : await store.get(name);
  if (path === null) return EMPTY_JOURNAL;
  const read = decodeSnapshot(name, await readFile(path));
  if (read.kind === 'other') return EMPTY_JOURNAL;
  const why = read.kind === 'damaged' ? read.why : await strangeness(store, read.state);
  if (why === null && read.kind === 'state') return read.state;
  warn(`${name} is not used: ${why}. The journal is read from its first segment.`);
  return EMPTY_JOURNAL;
}

/** Null where the segment that it ends with stands in the store as it knows it. */
async function strangeness(store: Store, state: JournalState): Promise<string | null> {
  const first = await segmentOrNull(store, 1);
  // The store has lost what the snapshot has seen: going on without it would forget paid work.
  if (first === null) throw gap(1);
  if (first.header.lineage !== state.lineage) return 'it is of another journal';
  const last = await segmentOrNull(store, state.seq);
  if (last === null) throw gap(state.seq);
  return last.digest === state.head ? null : `segment ${state.seq} is another one`;
}

async function segmentOrNull(store: Store, seq: number): Promise<Segment | null> {
  const path = await store.get(segmentName(seq));
  return path === null ? null : decodeSegment(segmentName(seq), await readFile(path), undefined);
}

export function gap(seq: number): StateConflict {
  return new StateConflict(
    `The journal has a gap: ${segmentName(seq)} is missing. Nothing was sent.`,
    'Restore that file from a copy of the state.',
  );
}
