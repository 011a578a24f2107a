import type { BatchRow, End } from '../batch/row.ts';

/** Endpoints whose batches the emulator can answer. */
export const ENDPOINTS = [
  '/v1/responses',
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/moderations',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** A file as the emulator keeps it; times in milliseconds, as everywhere inside. */
export interface FileRow {
  readonly id: string;
  readonly filename: string;
  readonly purpose: string;
  /** May be less than the file on disk holds. */
  readonly bytes: number;
  /** Relative to the emulator's folder. */
  readonly path: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly deleted: boolean;
  /** Number of the batch that it is a result of; null for an upload. */
  readonly batch: number | null;
}

/** `completion_window` has one value: 24 hours from creation. */
export const WINDOW_MS = 86_400_000;

export interface OpenaiBatch extends BatchRow {
  readonly endpoint: Endpoint;
  readonly inputFileId: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly outputKeptMs: number;
  readonly end: OpenaiEnd | null;
}

export interface OpenaiEnd extends End {
  readonly outputFileId: string | null;
  /** `''` where a scenario wants it so. */
  readonly errorFileId: string | null;
}
