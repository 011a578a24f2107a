import { readFile } from 'node:fs/promises';
import { canonicalJson } from '../../ids.ts';
import { EMPTY_JOURNAL, foldSegment } from '../../journal/fold.ts';
import { decodeSnapshot, snapshotSeq } from '../../journal/snapshot.ts';
import { many } from '../../report/text.ts';
import type { Check } from '../../report/verify-view.ts';
import type { Store } from '../../store/port.ts';
import type { ReadSegment } from './chain.ts';
import { proved, unproved } from './check.ts';

/**
 * Whether each snapshot is the fold of the segments before it: the usual reader starts at one without reading those.
 * Null where there is nothing to hold against each other: no snapshot, or segments that cannot be read.
 */
export async function checkSnapshots(store: Store, segments: readonly ReadSegment[]): Promise<Check | null> {
  const names = (await store.list('journal/')).filter((name) => snapshotSeq(name) !== null);
  if (names.length === 0 || segments.some(({ segment }) => segment === null)) return null;
  const folds = foldsAt(segments, new Set(names.map((name) => snapshotSeq(name))));
  const problems: string[] = [];
  for (const name of names) {
    const why = await problemOf(store, name, folds);
    if (why !== null) problems.push(`${name}: ${why}`);
  }
  const of = { job: null, check: 'snapshots' };
  if (problems.length === 0)
    return proved(of, `${many(names.length, 'snapshot')}, each what its segments say`);
  return unproved(of, 'wrong', {
    message: 'a snapshot does not say what the segments before it say',
    details: problems,
    next: 'delete these files: nothing stands in them that the segments do not have',
  });
}

/** The state after each of these segments, as text. */
function foldsAt(segments: readonly ReadSegment[], wanted: ReadonlySet<number | null>): Map<number, string> {
  const folds = new Map<number, string>();
  let state = EMPTY_JOURNAL;
  for (const { seq, segment } of segments) {
    if (segment !== null) state = foldSegment(state, segment);
    if (wanted.has(seq)) folds.set(seq, canonicalJson(state));
  }
  return folds;
}

/** One that another version made is nobody's fault, and nobody reads it. */
async function problemOf(
  store: Store,
  name: string,
  folds: ReadonlyMap<number, string>,
): Promise<string | null> {
  const path = await store.get(name);
  const read = path === null ? null : decodeSnapshot(name, await readFile(path));
  if (read === null || read.kind === 'other') return null;
  if (read.kind === 'damaged') return read.why;
  const fold = folds.get(read.state.seq);
  if (fold === undefined) return `there is no segment ${read.state.seq}`;
  return fold === canonicalJson(read.state) ? null : 'the segments fold to something else';
}
