import { epochMs, type Instant } from '../ids.ts';
import type { BatchState, BatchView } from '../journal/batch.ts';
import type { RawFile } from '../journal/events.ts';
import type { ProviderKind } from '../spec/profiles.ts';
import type { LinesRead } from './outcome.ts';

/** What one look at the result files of an ended batch has shown. */
export interface Look {
  readonly at: Instant;
  readonly files: readonly Pick<RawFile, 'kind' | 'digest' | 'bytes' | 'listedBytes' | 'endsWithLineFeed'>[];
  readonly gone: readonly RawFile['kind'][];
  readonly counts: BatchView['progress'];
}

export interface AbsenceCase {
  readonly state: BatchState;
  /** How many requests were sent. */
  readonly sent: number;
  /** Oldest first. */
  readonly looks: readonly Look[];
  readonly read: LinesRead;
  /** How far apart two looks must be. */
  readonly apartMs: number;
}

/** Why rows without a line are not proved to have no answer. `docs/guarantees.md` has the table. */
export type AbsenceDoubt =
  | 'no_look'
  | 'file_gone'
  | 'file_size'
  | 'file_end'
  | 'lines_unreadable'
  | 'lines_foreign'
  | 'counts_absent'
  | 'counts_total'
  | 'counts_more'
  | 'line_owed'
  | 'seen_once';

/**
 * Pure: why the rows of a batch that no line names may have an answer all the same; null where it is proved that they
 * have none. An error page with status 200 looks like a file without our lines, so the files must be whole, hold nothing
 * else, and the batch's own counts must agree, at two looks that are far enough apart and brought the same bytes.
 */
export function doubtAbsence(of: AbsenceCase): AbsenceDoubt | null {
  const last = of.looks.at(-1);
  if (last === undefined) return 'no_look';
  const doubt = doubtFiles(last) ?? doubtLines(of.read) ?? doubtCounts(last, of);
  if (doubt !== null) return doubt;
  return of.looks.some((earlier) => confirms(earlier, last, of)) ? null : 'seen_once';
}

function doubtFiles({ files, gone }: Look): AbsenceDoubt | null {
  if (gone.length > 0) return 'file_gone';
  if (files.some(({ bytes, listedBytes }) => listedBytes !== null && bytes !== listedBytes))
    return 'file_size';
  // Without a listed length a cut shows in its end alone, and in the digest of the next look.
  const isCut = files.some(({ listedBytes, endsWithLineFeed }) => listedBytes === null && !endsWithLineFeed);
  return isCut ? 'file_end' : null;
}

function doubtLines({ foreign, unparsed }: LinesRead): AbsenceDoubt | null {
  if (unparsed > 0) return 'lines_unreadable';
  return foreign > 0 ? 'lines_foreign' : null;
}

/** A batch that has completed owes a line for each request, whatever it counts. */
function doubtCounts({ counts }: Look, { sent, read, state }: AbsenceCase): AbsenceDoubt | null {
  if (counts === null) return 'counts_absent';
  if (counts.total !== sent) return 'counts_total';
  if (counts.done + counts.failed > read.own) return 'counts_more';
  return state === 'expired' || state === 'cancelled' || state === 'failed' ? null : 'line_owed';
}

/** The same bytes, so that the same was read of them. */
function confirms(earlier: Look, last: Look, of: AbsenceCase): boolean {
  return doubtCounts(earlier, of) === null && looksAgree([earlier, last], of.apartMs);
}

/**
 * Pure: true where two looks, far enough apart, brought the very same files, and both whole: a length that was listed once
 * shows a cut, although nobody tells it the next time.
 */
export function looksAgree(looks: readonly Look[], apartMs: number): boolean {
  const last = looks.at(-1);
  if (last === undefined || doubtFiles(last) !== null) return false;
  return looks.some(
    (earlier) =>
      epochMs(last.at) - epochMs(earlier.at) >= apartMs &&
      doubtFiles(earlier) === null &&
      digests(earlier) === digests(last),
  );
}

function digests({ files }: Look): string {
  return files
    .map(({ kind, digest }) => `${kind} ${digest}`)
    .sort()
    .join();
}

type Ended = Pick<
  BatchView,
  'state' | 'outputFileId' | 'errorFileId' | 'startedAt' | 'finalizingAt' | 'progress' | 'errors'
>;

/**
 * Pure: whether the provider's contract says that a batch with this end has no results at all. It must name no file.
 * Each line has its source; what is not here is proved by the files and counts alone.
 */
export function hasNoResults(kind: ProviderKind, batch: Ended): boolean {
  if (batch.outputFileId !== null || batch.errorFileId !== null) return false;
  switch (kind) {
    case 'openai':
      return openaiHasNone(batch);
    case 'anthropic':
      // @anthropic-ai/sdk 1.14.0, `MessageBatch.results_url`: an ended batch has a line for each request.
      return false;
    case 'gemini':
      return geminiHasNone(batch);
    default:
      return kind satisfies never;
  }
}

/**
 * OpenAI batch guide: a batch that fails validation has run nothing, and counts nothing. One that was never in progress
 * has not begun to run either, whatever ended it; its counts are set when it is validated.
 */
function openaiHasNone({ state, startedAt, finalizingAt, progress }: Ended): boolean {
  const countsNothing =
    progress !== null && progress.total === 0 && progress.done === 0 && progress.failed === 0;
  if (!countsNothing) return false;
  if (state === 'failed') return true;
  return (state === 'cancelled' || state === 'expired') && startedAt === null && finalizingAt === null;
}

/**
 * Gemini batch guide: a batch that expires gives no results. Google's contract for long-running operations (AIP-151): an
 * operation that has ended has a response or an error, and never both.
 */
function geminiHasNone({ state, errors, progress }: Ended): boolean {
  if (state === 'expired') return true;
  return state === 'failed' && errors.length > 0 && (progress?.done ?? 0) === 0;
}
