import { readFile } from 'node:fs/promises';
import { messageOf, StateConflict } from '../errors.ts';
import type { Digest, Instant, JobName } from '../ids.ts';
import { isNoRoom } from '../machine-trouble.ts';
import type { Store } from '../store/port.ts';
import { conflicts } from './conflict.ts';
import type { JournalEvent, SegmentHeader } from './events.ts';
import { EMPTY_JOURNAL, foldSegment, foldSegments } from './fold.ts';
import { decodeSegment, encodeSegment, type Segment, segmentName, segmentSeq } from './segment.ts';
import { encodeSnapshot, snapshotName, snapshotSeq } from './snapshot.ts';
import { gap, startingState } from './start.ts';
import type { JournalState } from './state.ts';

/** Who writes, and where its randomness and time come from. */
export interface JournalWriter {
  readonly writer: string;
  readonly commit: string | null;
  now(): Instant;
  nonce(): string;
}

/** Reader and writer of one journal. Holds the fold of what it has read so far. */
export interface Journal {
  readonly state: JournalState;
  /** Folds what others have appended since. */
  refresh(): Promise<JournalState>;
  /**
   * Appends one atomic group; durable when it returns. Where another writer took the number, its news is folded
   * first, and the group is appended under the next number unless the news touches it (`conflict.ts`).
   * @throws JournalMoved where it does: re-plan from `state`.
   */
  append(events: readonly JournalEvent[]): Promise<JournalState>;
  /** Puts the fold beside the segments, should many have come since the last time: whoever reads next starts there. */
  keepSnapshot(): Promise<void>;
}

export interface JournalOptions {
  /** After how many segments a snapshot is worth it. Reading one takes 0.2 ms, so that 100 are hardly felt. */
  readonly snapshotEvery?: number;
  /** Told of a snapshot that cannot be used. */
  warn?(text: string): void;
}

/** Another writer said something about our jobs between our reading and our append. Nothing was appended. */
export class JournalMoved extends Error {
  override readonly name = 'JournalMoved';
}

/** Each lost race means that another writer got on, so this many in a row means something else is wrong. */
const MOST_RACES = 100;

export function openJournal(store: Store, writer: JournalWriter, options: JournalOptions = {}): Journal {
  let state = EMPTY_JOURNAL;
  let lastSnapshot = 0;

  async function refresh(): Promise<JournalState> {
    const names = await store.list('journal/');
    lastSnapshot = numbersIn(names, snapshotSeq).at(-1) ?? lastSnapshot;
    const segments = numbersIn(names, segmentSeq);
    if (state.seq === 0) state = await startingState(store, lastSnapshot, options.warn ?? (() => {}));
    await requireAll(store, new Set(segments), state.seq);
    state = foldSegments(state, await readAfter(segments.at(-1) ?? 0));
    return state;
  }

  /** What follows the state, up to this number. */
  async function readAfter(last: number): Promise<Segment[]> {
    const news: Segment[] = [];
    let head = state.head;
    for (let seq = state.seq + 1; seq <= last; seq += 1) {
      const segment = await read(seq, head);
      news.push(segment);
      head = segment.digest;
    }
    return news;
  }

  async function keepSnapshot(): Promise<void> {
    const news = state.seq - lastSnapshot;
    // A snapshot holds all that went before: at even distances they would take room as the square of the segments.
    if (news < Math.max(options.snapshotEvery ?? 100, lastSnapshot / 4)) return;
    try {
      await store.putIfAbsent(snapshotName(state.seq), { bytes: encodeSnapshot(state) });
      lastSnapshot = state.seq;
    } catch (error) {
      if (!(error instanceof StateConflict) && !isNoRoom(error)) throw error;
      // Without it the next reader takes longer; a pass that has done its work must not fail for that.
      options.warn?.(`no snapshot of the journal was kept: ${messageOf(error)}`);
    }
  }

  async function read(seq: number, previous: Digest | null): Promise<Segment> {
    const path = await store.get(segmentName(seq));
    if (path === null) throw gap(seq);
    return decodeSegment(segmentName(seq), await readFile(path), previous);
  }

  async function append(events: readonly JournalEvent[]): Promise<JournalState> {
    for (let race = 0; race < MOST_RACES; race += 1) {
      const header = nextHeader(state, writer);
      const bytes = encodeSegment(header, events);
      await store.putIfAbsent(segmentName(header.seq), { bytes });
      // Read back whatever stands there: after a put that failed half way it may be ours all the same.
      const winner = await read(header.seq, state.head);
      state = foldSegment(state, winner);
      if (winner.header.nonce === header.nonce) return state;
      if (events.some((ours) => winner.events.some((news) => conflicts(ours, news))))
        throw new JournalMoved(`another writer changed ${jobsOf(events).join(', ')}`);
    }
    throw new StateConflict(
      'The journal moves faster than this pass can append.',
      'Try again; look for a reconciler that loops.',
    );
  }

  return {
    get state() {
      return state;
    },
    refresh,
    append,
    keepSnapshot,
  };
}

/** In order, as the names are. */
function numbersIn(names: readonly string[], numberOf: (name: string) => number | null): number[] {
  return names.map(numberOf).filter((number) => number !== null);
}

/**
 * Segments before a snapshot are not read, and must be there all the same: what is gone, nobody could verify.
 * @throws StateConflict
 */
async function requireAll(store: Store, listed: ReadonlySet<number>, through: number): Promise<void> {
  for (let seq = 1; seq <= through; seq += 1) {
    // A listing may miss a file that was put while it was made.
    if (!listed.has(seq) && (await store.get(segmentName(seq))) === null) throw gap(seq);
  }
}

function nextHeader(state: JournalState, writer: JournalWriter): SegmentHeader {
  return {
    type: 'segment',
    format: 1,
    seq: state.seq + 1,
    lineage: state.lineage ?? writer.nonce(),
    previous: state.head,
    nonce: writer.nonce(),
    writer: writer.writer,
    at: writer.now(),
    commit: writer.commit,
  };
}

function jobsOf(events: readonly JournalEvent[]): JobName[] {
  return [...new Set(events.map((event) => event.job))];
}
