import type { BatchRow, End } from '../batch/row.ts';

/** What has not ended 48 hours after its creation expires. */
export const WINDOW_MS = 48 * 3_600_000;
/** Files, inputs and results alike, live for 48 hours. */
export const FILE_KEPT_MS = 48 * 3_600_000;

/** A file as the emulator keeps it, by its name without `files/`; times in milliseconds. */
export interface FileRow {
  readonly id: string;
  readonly displayName: string;
  readonly mimeType: string;
  /** May be less than the file on disk holds. */
  readonly bytes: number;
  /** Relative to the emulator's folder. */
  readonly path: string;
  readonly createdAt: number;
  readonly deleted: boolean;
  /** Number of the batch that it is a result of; null for an upload. */
  readonly batch: number | null;
}

/** A resumable upload that has begun. */
export interface UploadRow {
  readonly id: string;
  readonly file: Pick<FileRow, 'id' | 'displayName' | 'mimeType' | 'bytes' | 'path'>;
  readonly received: number;
}

/** What the requests of a batch are for. */
export type Endpoint = 'generateContent' | 'embedContent';

export interface GeminiBatch extends BatchRow {
  readonly endpoint: Endpoint;
  /** Without `models/`. */
  readonly model: string;
  readonly displayName: string;
  /** Without `files/`. */
  readonly inputFile: string;
  readonly end: GeminiEnd | null;
}

export interface GeminiEnd extends End {
  /** Without `files/`; null where there are no results. */
  readonly resultFile: string | null;
}
