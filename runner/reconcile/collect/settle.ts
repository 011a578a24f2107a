import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { type Digest, digestOf, type IntentId, ordinalOf } from '../../ids.ts';
import type { OrdinalRange } from '../../journal/events.ts';
import { type Line, linesOfFile, textOf, visitLines } from '../../lines.ts';
import { addUsage, count, newTally, summaryOf, type Tally } from '../../outcome/account.ts';
import { type Classified, conflictOf, MISSING } from '../../outcome/classify.ts';
import type { OutcomeClass, OutcomeSummary, Reply, Usage } from '../../outcome/outcome.ts';
import { type Marks, marksOf } from './ordinal-marks.ts';
import { OutcomeWriter } from './outcomes-file.ts';

export interface SettleOrder {
  /** Local paths of the raw files, as downloaded or as stored (`.jsonl.zst`), output and error file, in any order; may be none. */
  readonly rawFiles: readonly string[];
  readonly intent: IntentId;
  /** The items of the intent. Each gets at most one row, and exactly one where `countMissing`. */
  readonly ordinals: readonly OrdinalRange[];
  /** The provider's `decode`, bound to the endpoint. */
  readonly decode: (line: string) => Reply;
  readonly classify: (reply: Reply) => Classified;
  /** True: ordinals that no line names get a row too; false: they are only counted. */
  readonly countMissing: boolean;
  /** What such a row says; `missing` by default. For a batch that failed as a whole: `failedBatch`. */
  readonly unseen?: (ordinal: number) => Classified;
  /** What a row is where other batches may have the same item; as it stands by default. */
  readonly beside?: (ordinal: number, row: Classified) => Classified;
  /** A folder for scratch files and for the result, of the caller's own; it must exist. */
  readonly work: string;
}

export interface Settled {
  /** Parquet with the columns of `OUTCOME_COLUMNS`, in `work`, not yet in the store. */
  readonly outcomesPath: string;
  readonly summary: OutcomeSummary;
  /** Usage of the rows that gave no answer, a part of `summary.usage`. */
  readonly wasted: Usage;
  /** Usage of the rows that another batch had answered, a part of `wasted`. */
  readonly duplicated: Usage;
  /** Ordinals that no line names, whether they got a row or not. */
  readonly missing: number;
  /** Lines that could not be read, or that name no request at all. */
  readonly unreadable: number;
}

/**
 * Reads a batch's raw files and writes its outcomes file. Whatever the files hold, an ordinal has one row at most:
 * the same line twice counts once, different lines for one ordinal are a conflict, lines of other requests are only
 * counted. Which file a line stands in, and the order of lines, mean nothing.
 *
 * Memory is a byte per ordinal of the span, whatever the size of the files. A file is read twice only where an
 * ordinal occurs twice, and a third time where its lines differ.
 * @throws Error where a raw file cannot be decompressed: the bytes in the store are damaged
 */
export async function settleRaw(order: SettleOrder): Promise<Settled> {
  const writer = new OutcomeWriter(join(order.work, 'outcomes.slot'));
  try {
    let reading = await read(order, writer, NO_CONFLICTS);
    const conflicts = await conflictsAmong(order, reading.doubled);
    if (conflicts.size > 0) {
      writer.restart();
      reading = await read(order, writer, conflicts);
    }
    const missing = writeUnseen(order, writer, reading);
    const outcomesPath = join(order.work, 'outcomes.parquet');
    await writer.finish(outcomesPath);
    const { tally, foreign, unreadable } = reading;
    const { wasted, duplicated } = tally;
    return { outcomesPath, summary: summaryOf(tally, foreign), wasted, duplicated, missing, unreadable };
  } finally {
    await writer.discard();
  }
}

type Conflicts = ReadonlyMap<number, Classified>;
const NO_CONFLICTS: Conflicts = new Map();

interface Reading {
  readonly tally: Tally;
  readonly marks: Marks;
  readonly doubled: ReadonlySet<number>;
  readonly foreign: number;
  readonly unreadable: number;
}

/** One reading of all files: a row at the first line of each ordinal, known conflicts in place of theirs. */
async function read(order: SettleOrder, writer: OutcomeWriter, conflicts: Conflicts): Promise<Reading> {
  const tally = newTally();
  const marks = marksOf(order.ordinals);
  const doubled = new Set<number>();
  const counts = { foreign: 0, unreadable: 0 };
  await eachReply(order, (reply) => {
    const ordinal = reply === null ? null : ownOrdinal(order.intent, marks, reply);
    if (ordinal === null) {
      counts[reply === null || reply.wireId === null ? 'unreadable' : 'foreign'] += 1;
    } else if (reply !== null && marks.see(ordinal)) {
      add(order, writer, tally, ordinal, conflicts.get(ordinal) ?? order.classify(reply));
    } else {
      doubled.add(ordinal);
    }
  });
  return { tally, marks, doubled, ...counts };
}

function add(
  { beside }: SettleOrder,
  writer: OutcomeWriter,
  tally: Tally,
  ordinal: number,
  line: Classified,
): void {
  const row = beside === undefined ? line : beside(ordinal, line);
  count(tally, row, line);
  writer.add(ordinal, row);
}

/** Null for ids of other intents and for ordinals that were never in this one. */
function ownOrdinal(intent: IntentId, marks: Marks, reply: Reply): number | null {
  const ordinal = reply.wireId === null ? null : ordinalOf(intent, reply.wireId);
  return ordinal !== null && marks.has(ordinal) ? ordinal : null;
}

/** No answer is as long, and a JavaScript string ends at half a gigabyte: what throws there would throw for ever. */
const MOST_LINE_BYTES = 100_000_000;

/** Null stands for a line whose bytes are no text. A line that breaks costs itself and nothing else. */
async function eachReply(
  order: SettleOrder,
  visit: (reply: Reply | null, line: Line) => void,
): Promise<void> {
  for (const path of order.rawFiles) {
    await eachLine(path, (line) => {
      const text = line.bytes.length > MOST_LINE_BYTES ? null : textOf(line);
      visit(text === null ? null : order.decode(text), line);
    });
  }
}

async function eachLine(path: string, visit: (line: Line) => void): Promise<void> {
  if (!path.endsWith('.zst')) return linesAsTheyAre(path, visit);
  const unpacked = createZstdDecompress({ chunkSize: 1 << 18 });
  const packed = createReadStream(path, { highWaterMark: 1 << 18 });
  await Promise.all([pipeline(packed, unpacked), visitLines(unpacked, visit)]);
}

/** Lines between two turns of the event loop, 10 ms of work: a signal has to be heard. */
const TURN_LINES = 1024;

/** Through one buffer, where unpacking takes a fresh one for each quarter of a megabyte. */
async function linesAsTheyAre(path: string, visit: (line: Line) => void): Promise<void> {
  for (const line of linesOfFile(path)) {
    visit(line);
    if (line.number % TURN_LINES === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Claims {
  readonly digests: Set<Digest>;
  readonly classes: OutcomeClass[];
  usage: Usage | null;
}

/** Of the ordinals that occur more than once, those whose lines differ. Lines are compared by their bytes. */
async function conflictsAmong(order: SettleOrder, doubled: ReadonlySet<number>): Promise<Conflicts> {
  if (doubled.size === 0) return NO_CONFLICTS;
  const claims = new Map<number, Claims>();
  await eachReply(order, (reply, line) => {
    const ordinal = reply?.wireId ? ordinalOf(order.intent, reply.wireId) : null;
    if (reply === null || ordinal === null || !doubled.has(ordinal)) return;
    const claim = claims.get(ordinal) ?? { digests: new Set(), classes: [], usage: null };
    claims.set(ordinal, claim);
    const digest = digestOf(line.bytes);
    if (claim.digests.has(digest)) return;
    claim.digests.add(digest);
    const row = order.classify(reply);
    claim.classes.push(row.class);
    claim.usage = claim.usage === null ? row.usage : addUsage(claim.usage, row.usage);
  });
  const differing = [...claims].filter(([, claim]) => claim.digests.size > 1);
  return new Map(differing.map(([ordinal, claim]) => [ordinal, conflictOf(claim.classes, claim.usage)]));
}

function writeUnseen(order: SettleOrder, writer: OutcomeWriter, reading: Reading): number {
  const unseen = order.unseen ?? (() => missingRow(reading.unreadable));
  let missing = 0;
  for (const ordinal of reading.marks.unseen()) {
    missing += 1;
    if (order.countMissing) add(order, writer, reading.tally, ordinal, unseen(ordinal));
  }
  return missing;
}

/** An answer may hide in a line that cannot be read: said, since it may have been billed. */
function missingRow(unreadable: number): Classified {
  if (unreadable === 0) return MISSING;
  return { ...MISSING, detail: `${unreadable} lines of the result files could not be read` };
}
