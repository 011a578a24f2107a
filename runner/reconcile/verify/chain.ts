import { readFile } from 'node:fs/promises';
import { StateConflict } from '../../errors.ts';
import { EMPTY_JOURNAL, foldSegments } from '../../journal/fold.ts';
import { decodeSegment, type Segment, segmentName, segmentSeq } from '../../journal/segment.ts';
import type { JournalState } from '../../journal/state.ts';
import { many } from '../../report/text.ts';
import type { Check } from '../../report/verify-view.ts';
import type { Store } from '../../store/port.ts';
import { proved, unproved } from './check.ts';

/** A segment as it stands in the store; null with the reason where it cannot be read as one. */
export interface ReadSegment {
  readonly seq: number;
  readonly segment: Segment | null;
  readonly problem: string | null;
}

/** Every segment that the store has, in order. Unlike the journal's own reader it goes on after damage. */
export async function readSegments(store: Store): Promise<ReadSegment[]> {
  const names = await store.list('journal/');
  const numbers = names.map(segmentSeq).filter((seq) => seq !== null);
  const read: ReadSegment[] = [];
  for (const seq of numbers.sort((a, b) => a - b)) read.push(await readSegment(store, seq));
  return read;
}

async function readSegment(store: Store, seq: number): Promise<ReadSegment> {
  const name = segmentName(seq);
  const path = await store.get(name);
  if (path === null) return { seq, segment: null, problem: `${name} went away while it was read` };
  try {
    return { seq, segment: decodeSegment(name, await readFile(path), undefined), problem: null };
  } catch (error) {
    if (!(error instanceof StateConflict)) throw error;
    return { seq, segment: null, problem: error.message };
  }
}

/** Pure: whether the segments are one unbroken chain from number 1 on, and where not. */
export function checkChain(segments: readonly ReadSegment[]): Check {
  const of = { job: null, check: 'journal' };
  const problems = chainProblems(segments);
  const head = segments.at(-1)?.segment?.digest.slice(0, 8);
  if (problems.length === 0 && segments.length === 0) return proved(of, 'there is none yet');
  if (problems.length === 0) {
    return proved(of, `${many(segments.length, 'segment')}, each continuing the one before; head ${head}`);
  }
  return unproved(of, 'lost', {
    message: 'the chain is broken; what follows is judged by the segments that can be read',
    details: problems,
    next: 'bring the journal folder back from a copy of the state; deleting segments would forget paid work',
  });
}

function chainProblems(segments: readonly ReadSegment[]): string[] {
  const lineage = segments.find((each) => each.segment !== null)?.segment?.header.lineage;
  return segments.flatMap((each, at) => {
    const before = segments[at - 1];
    const missing = gap(before?.seq ?? 0, each.seq);
    if (each.segment === null) return [...missing, each.problem ?? ''];
    const { header } = each.segment;
    return [
      ...missing,
      ...(header.lineage === lineage ? [] : [`${segmentName(each.seq)} is of another journal`]),
      ...(missing.length > 0 ? [] : brokenLink(before, each.segment)),
    ];
  });
}

function gap(last: number, next: number): string[] {
  if (next === last + 1) return [];
  const first = segmentName(last + 1);
  return [next === last + 2 ? `${first} is missing` : `${first} to ${segmentName(next - 1)} are missing`];
}

/** An unreadable segment has told already; what it was cannot be compared with what the next one names. */
function brokenLink(before: ReadSegment | undefined, { header }: Segment): string[] {
  if (before !== undefined && before.segment === null) return [];
  if (header.previous === (before?.segment?.digest ?? null)) return [];
  const name = segmentName(header.seq);
  return before === undefined
    ? [`${name} names a segment before it, and there is none`]
    : [`${name} does not continue ${segmentName(before.seq)}: one of the two was changed`];
}

/** Pure: the fold of whatever can be read. Of a broken chain it is less than the truth, and never more. */
export function foldReadable(segments: readonly ReadSegment[]): JournalState {
  return foldSegments(
    EMPTY_JOURNAL,
    segments.map(({ segment }) => segment).filter((segment) => segment !== null),
  );
}
