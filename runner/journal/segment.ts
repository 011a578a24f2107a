import { StateConflict } from '../errors.ts';
import { type Digest, digestOf } from '../ids.ts';
import type { JournalEvent, SegmentHeader } from './events.ts';

/** One segment as read: its header, its events, the digest that the next one must name. */
export interface Segment {
  readonly header: SegmentHeader;
  readonly events: readonly JournalEvent[];
  readonly digest: Digest;
}

const DIGITS = 8;

export function segmentName(seq: number): string {
  return `journal/${String(seq).padStart(DIGITS, '0')}.jsonl`;
}

/** The number in a segment's name; null for other files of the journal folder. */
export function segmentSeq(name: string): number | null {
  const match = /^journal\/(\d{8})\.jsonl$/.exec(name);
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** A segment as bytes: the header's line, one line an event, a final line end. */
export function encodeSegment(header: SegmentHeader, events: readonly JournalEvent[]): Buffer {
  return Buffer.from([header, ...events].map((line) => `${JSON.stringify(line)}\n`).join(''), 'utf8');
}

/**
 * @throws StateConflict where the bytes are no whole segment, or not the one that the name and the chain call for.
 * `previous`: what the header must name; undefined where the reader starts in the middle of the chain.
 */
export function decodeSegment(name: string, bytes: Buffer, previous: Digest | null | undefined): Segment {
  const lines = linesOf(name, bytes);
  const [header, ...events] = lines as [SegmentHeader, ...JournalEvent[]];
  if (header?.type !== 'segment') throw damaged(name, 'its first line is no segment header');
  if (header.format !== 1) throw tooNew(name, header.format);
  if (header.seq !== segmentSeq(name)) throw damaged(name, `its header says number ${header.seq}`);
  if (previous !== undefined && header.previous !== previous) throw broken(name);
  return { header, events, digest: digestOf(bytes) };
}

function linesOf(name: string, bytes: Buffer): unknown[] {
  const text = bytes.toString('utf8');
  // Written whole or not at all, so a missing line end means that something else cut the file.
  if (!text.endsWith('\n')) throw damaged(name, 'its last line is cut');
  try {
    return text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  } catch (error) {
    throw damaged(name, `a line is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function damaged(name: string, what: string): StateConflict {
  return new StateConflict(
    `The journal is damaged at ${name}: ${what}. Nothing was sent.`,
    'Restore that file from a copy of the state; deleting it or what follows would forget paid work.',
  );
}

/** Either of the two was changed: the digest of the one before is not the one that this one names. */
function broken(name: string): StateConflict {
  const before = segmentName((segmentSeq(name) ?? 1) - 1);
  return new StateConflict(
    `The journal's chain is broken between ${before} and ${name}: one of the two was changed. Nothing was sent.`,
    'Restore both from a copy of the state; deleting them or what follows would forget paid work.',
  );
}

export function unknownEvent({ type }: JournalEvent, { seq }: SegmentHeader): StateConflict {
  return new StateConflict(
    `${segmentName(seq)} has an event ${JSON.stringify(type)}, which this version of batchwright does not know. Nothing was sent.`,
    'Run the version that wrote it, or a newer one.',
  );
}

function tooNew(name: string, format: unknown): StateConflict {
  return new StateConflict(
    `${name} has format ${String(format)}; this version of batchwright reads format 1.`,
    'Run the version that wrote it, or a newer one.',
  );
}
