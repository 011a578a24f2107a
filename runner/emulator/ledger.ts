/**
 * What the provider would have charged, for tests to hold against our own books. First one `calls` entry, then each
 * batch in the order of creation, followed by its requests that ran, in the order in which they ended.
 */
export type LedgerEntry = CallsEntry | BatchEntry | RequestEntry;

export interface CallsEntry {
  readonly kind: 'calls';
  /** How often each operation was asked for since the emulator started, refused calls included. */
  readonly calls: Readonly<Record<string, number>>;
}

export interface BatchEntry {
  readonly kind: 'batch';
  readonly id: string;
  /** 1 for the first that was created. */
  readonly number: number;
  readonly status: string;
  /** Null where the requests travelled in the create. */
  readonly input_file_id: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Requests in the file; 0 until validated and where validation failed. */
  readonly total: number;
  /** Requests that ended, well or not. */
  readonly ran: number;
  /** Those of them that are billed: HTTP 200, whatever the answer says. */
  readonly charged: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export interface RequestEntry {
  readonly kind: 'request';
  readonly batch: string;
  readonly custom_id: string;
  /** The first 32 hex characters of the SHA-256 of the body's bytes as they stood in the line. */
  readonly body_hash: string;
  /** HTTP status of the request; 0 where it never became one. */
  readonly status: number;
  readonly charged: boolean;
  readonly input_tokens: number;
  readonly output_tokens: number;
}
