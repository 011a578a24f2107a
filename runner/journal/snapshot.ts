import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { messageOf } from '../errors.ts';
import { type Digest, digestOf } from '../ids.ts';
import type { JournalState } from './state.ts';

/**
 * A snapshot is the fold of the segments up to a number, kept beside them so that a reader starts there. It says nothing
 * that the segments do not say: whatever is wrong with it, the reader folds the segments instead.
 */
interface Snapshot {
  readonly type: 'snapshot';
  readonly format: 1;
  /** Of the code that folded: another version may fold the same segments to something else. */
  readonly fold: Digest;
  /** Of the state as it stands in this file. */
  readonly digest: Digest;
  readonly state: JournalState;
}

/** What a snapshot's bytes came to. `other`: of another version, and nothing is wrong with that. */
export type ReadSnapshot =
  | { readonly kind: 'state'; readonly state: JournalState }
  | { readonly kind: 'other' }
  | { readonly kind: 'damaged'; readonly why: string };

const DIGITS = 8;

export function snapshotName(seq: number): string {
  return `journal/snapshot-${String(seq).padStart(DIGITS, '0')}.json`;
}

/** The number of the last segment in it; null for other files of the journal folder. */
export function snapshotSeq(name: string): number | null {
  const match = /^journal\/snapshot-(\d{8})\.json$/.exec(name);
  return match?.[1] === undefined ? null : Number(match[1]);
}

export function encodeSnapshot(state: JournalState): Buffer {
  const snapshot: Snapshot = {
    type: 'snapshot',
    format: 1,
    fold: foldDigest(),
    digest: digestOf(JSON.stringify(state)),
    state,
  };
  return Buffer.from(`${JSON.stringify(snapshot)}\n`, 'utf8');
}

export function decodeSnapshot(name: string, bytes: Buffer): ReadSnapshot {
  let read: Partial<Snapshot> | null;
  try {
    read = JSON.parse(bytes.toString('utf8')) as Partial<Snapshot> | null;
  } catch (error) {
    return { kind: 'damaged', why: `it is not JSON (${messageOf(error)})` };
  }
  if (read?.type !== 'snapshot' || read.state === undefined)
    return { kind: 'damaged', why: 'it is no snapshot' };
  if (read.format !== 1 || read.fold !== foldDigest()) return { kind: 'other' };
  if (digestOf(JSON.stringify(read.state)) !== read.digest)
    return { kind: 'damaged', why: 'it is not as it was written' };
  if (read.state.seq !== snapshotSeq(name))
    return { kind: 'damaged', why: `it ends at segment ${read.state.seq}` };
  return { kind: 'state', state: read.state };
}

/** The fold and what it imports; a test holds the list against the imports. */
export const FOLD_SOURCES = [
  'fold',
  'fold-intent',
  'fold-records',
  'fold-try',
  'lookup',
  'segment',
  'state',
  'events',
  'job-events',
  'result-events',
  'search-events',
  'try-events',
  'batch',
];

let known: Digest | null = null;

/**
 * Of the source of everything that a fold comes from. A version number would have to be thought of with each change; a
 * comment that makes a snapshot useless costs no more than one reading of all segments.
 */
function foldDigest(): Digest {
  known ??= digestOf(FOLD_SOURCES.map(sourceOf).join('\n'));
  return known;
}

/** Of this checkout, or of the published package, which has JavaScript instead. */
function sourceOf(name: string): string {
  return readFileSync(join(import.meta.dirname, `${name}${extname(import.meta.filename)}`), 'utf8');
}
