import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { type Digest, digestOf, type IntentId, ordinalOf } from '../../ids.ts';
import type { OrdinalRange } from '../../journal/events.ts';
import { type Line, linesOfFile, textOf, visitLines } from '../../lines.ts';
import { addUsage, count, newTally, summaryOf, type Tally } from '../../outcome/account.ts';
import { type Classified, conflictOf } from '../../outcome/classify.ts';
import type { LinesRead, OutcomeClass, OutcomeSummary, Reply, Usage } from '../../outcome/outcome.ts';
import { type Marks, marksOf } from './ordinal-marks.ts';
import { OutcomeWriter } from './outcomes-file.ts';

/** A raw file, as downloaded or as stored (`.jsonl.zst`). */
export interface RawPath {
  readonly path: string;
  /** Which bringing of files it came with, from 0. Lines of one bringing may contradict each other. */
  readonly download: number;
  /** The last look at the batch showed this file. */
  readonly isLast: boolean;
}

export interface SettleOrder {
  /** In the order of their download; may be none. */
  readonly rawFiles: readonly RawPath[];
  readonly intent: IntentId;
  /** The items of the intent. Each gets exactly one row. */
  readonly ordinals: readonly OrdinalRange[];
  /** The provider's `decode`, bound to the endpoint. */
  readonly decode: (line: string) => Reply;
  readonly classify: (reply: Reply) => Classified;
  /** What becomes of items that no line names, once all lines are read. */
  readonly absent: (read: LinesRead) => (ordinal: number) => Classified;
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
  /** Items that no line names: how many, and the first of them. */
  readonly absent: { readonly rows: number; readonly first: readonly number[] };
}

/** How many items without a line are named one by one; so many at most may go again by themselves. */
const MOST_ABSENT_NAMED = 10_000;

/**
 * Reads a batch's raw files and writes its outcomes file, a row for each ordinal. The first line of an ordinal that can
 * be read counts, in the order of downloads: what was read once stays, whatever a later download holds. Within one
 * download the same line twice counts once, and different lines for one ordinal are a conflict. Lines of other requests
 * are only counted. Which file a line stands in, and the order of lines, mean nothing.
 *
 * Memory is three bytes per ordinal of the span, whatever the size of the files. A file is read twice only where an
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
    writeSpoiled(order, writer, reading);
    const absent = writeAbsent(order, writer, reading);
    const outcomesPath = join(order.work, 'outcomes.parquet');
    await writer.finish(outcomesPath);
    const { tally, lines } = reading;
    const { wasted, duplicated } = tally;
    return { outcomesPath, summary: summaryOf(tally, lines), wasted, duplicated, absent };
  } finally {
    await writer.discard();
  }
}

type Conflicts = ReadonlyMap<number, Classified>;
const NO_CONFLICTS: Conflicts = new Map();

interface Reading {
  readonly tally: Tally;
  readonly marks: Marks;
  /** Ordinals with several readable lines in one download, and in which. */
  readonly doubled: ReadonlyMap<number, number>;
  /** Why lines could not be understood, by the number that the marks hold. */
  readonly causes: readonly string[];
  readonly lines: LinesRead;
}

/** One reading of all files: a row at the first readable line of each ordinal, known conflicts in place of theirs. */
async function read(order: SettleOrder, writer: OutcomeWriter, conflicts: Conflicts): Promise<Reading> {
  const tally = newTally();
  const marks = marksOf(order.ordinals);
  const doubled = new Map<number, number>();
  const causes = new Causes();
  const counts = { foreign: 0, unparsed: 0 };
  await eachReply(order, (reply, _line, { download, isLast }) => {
    const ordinal = reply === null ? null : ownOrdinal(order.intent, marks, reply);
    if (reply === null || ordinal === null) {
      if (isLast) counts[reply === null || reply.wireId === null ? 'unparsed' : 'foreign'] += 1;
      return;
    }
    if (isLast) marks.name(ordinal);
    if (reply.result.kind === 'malformed') return marks.spoil(ordinal, causes.number(reply.result.detail));
    const which = marks.read(ordinal, download);
    if (which === 'again') doubled.set(ordinal, download);
    if (which === 'first')
      add(order, writer, tally, ordinal, conflicts.get(ordinal) ?? order.classify(reply));
  });
  return { tally, marks, doubled, causes: causes.all, lines: { own: marks.named, ...counts } };
}

/** Few different ones occur; whatever comes after so many is told as the last. */
const MOST_CAUSES = 250;

/** Numbers for the reasons why lines cannot be understood: a text for each of a million rows would not fit. */
class Causes {
  readonly all: string[] = [];

  number(cause: string): number {
    const known = this.all.indexOf(cause);
    if (known >= 0 || this.all.length >= MOST_CAUSES) return known >= 0 ? known : MOST_CAUSES - 1;
    return this.all.push(cause) - 1;
  }
}

function add(
  { beside }: Pick<SettleOrder, 'beside'>,
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
  visit: (reply: Reply | null, line: Line, file: RawPath) => void,
): Promise<void> {
  for (const file of order.rawFiles) {
    await eachLine(file.path, (line) => {
      const text = line.bytes.length > MOST_LINE_BYTES ? null : textOf(line);
      visit(text === null ? null : order.decode(text), line, file);
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

/** Of the ordinals that one download has more than once, those whose lines differ. Lines are compared by their bytes. */
async function conflictsAmong(order: SettleOrder, doubled: Reading['doubled']): Promise<Conflicts> {
  if (doubled.size === 0) return NO_CONFLICTS;
  const claims = new Map<number, Claims>();
  await eachReply(order, (reply, line, { download }) => {
    if (reply === null || reply.wireId === null || reply.result.kind === 'malformed') return;
    const ordinal = ordinalOf(order.intent, reply.wireId);
    if (ordinal === null || doubled.get(ordinal) !== download) return;
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

/** A line names them, and cannot be understood: the answer may have been paid for, so it is read again and not bought. */
function writeSpoiled(order: SettleOrder, writer: OutcomeWriter, { marks, causes, tally }: Reading): void {
  for (const [ordinal, cause] of marks.spoiled()) {
    const result = { kind: 'malformed', detail: causes[cause] ?? '' } as const;
    add(order, writer, tally, ordinal, order.classify({ wireId: null, result }));
  }
}

function writeAbsent(
  order: SettleOrder,
  writer: OutcomeWriter,
  { marks, tally, lines }: Reading,
): Settled['absent'] {
  const rowOf = order.absent(lines);
  const first: number[] = [];
  let rows = 0;
  for (const ordinal of marks.unseen()) {
    rows += 1;
    if (first.length < MOST_ABSENT_NAMED) first.push(ordinal);
    add(order, writer, tally, ordinal, rowOf(ordinal));
  }
  return { rows, first };
}
