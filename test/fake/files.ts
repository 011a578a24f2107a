import type { Part, ProviderName, ResultLine } from './model.ts';

/** A file that a client uploaded. */
export type InputFile = {
  kind: 'input';
  id: string;
  provider: ProviderName;
  name: string;
  type: string;
  bytes: Buffer;
  createdAt: number;
  expiresAt: number;
};

/** A result file of a batch. At Anthropic, the results of a batch under the id of the batch. */
export type ResultFile = {
  kind: 'result';
  id: string;
  provider: ProviderName;
  batch: string;
  part: Part;
  name: string;
  lines: ResultLine[];
  bytes: Buffer;
  createdAt: number;
  expiresAt: number;
  /** Its whole true content has left for a client at least once. */
  delivered: boolean;
};

export type StoredFile = InputFile | ResultFile;

/** JSON lines, each ended by a line feed. */
export function writeLines(lines: readonly ResultLine[]): Buffer {
  return Buffer.from(lines.map(({ value }) => `${JSON.stringify(value)}\n`).join(''));
}
