/**
 * A scenario: how fast the emulator works and how badly it behaves. A file format, so the fields stand here as a
 * person writes them; `docs/emulator.md` explains each. `checkScenario` in `scenario-check.ts` makes sure of them.
 */
export interface Scenario {
  readonly name?: string;
  readonly about?: string;
  /** Same seed, same requests: same ids, answers, order and faults. */
  readonly seed?: string;
  readonly phases?: Partial<Phases>;
  readonly limits?: Partial<Limits>;
  /** For each call and each line the first rule that matches decides. */
  readonly rules?: readonly Rule[];
}

/** How long a batch stays in each state, by the emulator's clock. */
export interface Phases {
  readonly validating_ms: number;
  readonly running_ms: number;
  /** Added to `running_ms` for each thousand requests. */
  readonly running_ms_per_1000: number;
  readonly finalizing_ms: number;
  /** OpenAI promises no more than ten minutes. */
  readonly cancelling_ms: number;
}

export interface Limits {
  /** Of the input file or, where requests travel in the create, of its body. Null, as for the bytes: as published. */
  readonly requests_per_batch: number | null;
  readonly file_bytes: number | null;
  /** Of all live batches of one model; null: none. */
  readonly enqueued_tokens: number | null;
  /** Models that exist; null: every name. */
  readonly models: readonly string[] | null;
}

export const DEFAULT_PHASES: Phases = {
  validating_ms: 300,
  running_ms: 1500,
  running_ms_per_1000: 20,
  finalizing_ms: 200,
  cancelling_ms: 300,
};

export const DEFAULT_LIMITS: Limits = {
  requests_per_batch: null,
  file_bytes: null,
  enqueued_tokens: null,
  models: null,
};

export const CALLS = [
  'upload',
  'create',
  'poll',
  'list',
  'cancel',
  'download',
  'file',
  'delete',
  'ask',
] as const;
/**
 * What a client asks for. `file` is a look at one file or at the list of files; `delete` deletes a file; `ask` is a
 * request that is answered at once.
 */
export type CallName = (typeof CALLS)[number];

export type Rule =
  | (CallMatch & {
      readonly on: Exclude<CallName, 'create' | 'list' | 'download' | 'ask'>;
      readonly do: CallFault;
    })
  | (CallMatch & { readonly on: 'create'; readonly do: CallFault & BatchFault })
  | (CallMatch & { readonly on: 'list'; readonly do: CallFault & ListFault })
  | (CallMatch & { readonly on: 'download'; readonly do: CallFault & DownloadFault })
  | (CallMatch & { readonly on: 'ask'; readonly do: CallFault & AskFault })
  | (LineMatch & { readonly on: 'line'; readonly do: LineFault });

/** Every condition that is given must hold; none at all matches every call. Counting starts at 1, per operation. */
export interface CallMatch {
  readonly nth?: number | readonly number[];
  readonly first?: number;
  readonly every?: number;
  /** 0 to 1, drawn by seed and call number. */
  readonly share?: number;
  /** Batches in the order of their creation, from 1. */
  readonly batch?: number | readonly number[];
}

export interface LineMatch {
  /** Lines of the input file, from 1. */
  readonly line?: number | readonly number[];
  readonly every?: number;
  /** 0 to 1, drawn by seed and custom_id; with `sticky` by the body, so that the same request meets it again. */
  readonly share?: number;
  readonly sticky?: boolean;
  /** A regular expression. */
  readonly custom_id?: string;
  readonly batch?: number | readonly number[];
}

/** What happens to a call. `when: after_commit`: the emulator has done its part, the client does not learn of it. */
export interface CallFault {
  readonly when?: 'before_commit' | 'after_commit';
  readonly delay_ms?: number;
  readonly status?: number;
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
  /** Seconds or a date, as it shall stand in the header. */
  readonly retry_after?: string | number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is instead of the usual error. */
  readonly body?: string;
  /** The connection ends without an answer. */
  readonly reset?: boolean;
}

/** What is wrong with the batch that a `create` makes. */
export interface BatchFault {
  /** For so long after creation it is in no list. */
  readonly hide_in_list_ms?: number;
  /** For so long after creation a look at it is answered with 404. */
  readonly not_found_ms?: number;
  /** It does not leave this state, or not before `stuck_for_ms` more; the window's end is passed over. */
  readonly stuck?: 'validating' | 'in_progress' | 'finalizing';
  readonly stuck_for_ms?: number;
  /** It expires at the window's end with this share (0 to 1) done. */
  readonly expire_with?: number;
  /** Somebody cancels it at the provider's console when this share (0 to 1) is done. */
  readonly cancel_with?: number;
  /** Validation fails with this code, `token_limit_exceeded` say. */
  readonly fail?: string;
  readonly fail_message?: string;
  readonly fail_line?: number;
  /** Every request ends with HTTP 500, so that there is no output file. */
  readonly all_failed?: boolean;
  /** Where there are no errors: the id is `""`, or it is that of a file without a byte. `dropped`: lost, errors or not. */
  readonly error_file?: 'empty_id' | 'zero_bytes' | 'dropped';
  /** The file with the answers is lost: its id is null. */
  readonly output_file?: 'dropped';
  /** Where the provider knows no tags: so many batches of somebody else are made beside it, alike but for their ids. */
  readonly lookalikes?: number;
  /** There, too: the requests came, and no batch of the caller is made of them. */
  readonly not_stored?: boolean;
  /** For so long after its end the batch shows no files. */
  readonly files_after_ms?: number;
  /** Before its end it calls its state by this word, which no client knows. */
  readonly state_word?: string;
  /** Instead of the true `request_counts`. */
  readonly counts?: { readonly total?: number; readonly completed?: number; readonly failed?: number };
}

export interface ListFault {
  /** `has_more` stays true and the same page comes again. */
  readonly repeat_cursor?: boolean;
  /** Each batch is shown as it was so long ago, and a younger one as it was when it was made. */
  readonly lag_ms?: number;
}

/** What is wrong with an answer that is given at once. */
export interface AskFault {
  readonly answer?: AnswerFault;
}

export interface DownloadFault {
  /** The body ends after this share (0 to 1) of its bytes. */
  readonly cut_at?: number;
  /** Default true. Without it the cut body ends like a whole one. */
  readonly content_length?: boolean;
}

export const ANSWER_FAULTS = [
  'refusal',
  'truncated',
  'content_filter',
  'invalid_json',
  'breaks_schema',
  'empty',
  'empty_body',
  'error_body',
  'other_model',
] as const;
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

export const RESULT_FAULTS = [
  'drop',
  'duplicate',
  'conflict',
  'both_files',
  'cut',
  'corrupt',
  'foreign',
] as const;
export type ResultFault = (typeof RESULT_FAULTS)[number];

/** What happens to one request of a batch, and to its line in the result files. */
export interface LineFault {
  /** The request ends with this HTTP status, in the error file. */
  readonly status?: number;
  /** With `status` the error's code; alone a request that never became one (`request_timeout`). */
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
  readonly answer?: AnswerFault;
  /** Stands in the file in place of the line, `{custom_id}` in it replaced; several lines, or none at all, may. */
  readonly text?: string;
  /**
   * `conflict`: a second line that says otherwise, `both_files`: the same in the other file; `foreign`: one more line
   * with an id that nobody sent.
   */
  readonly result?: ResultFault;
  /** The file that the line goes to, whatever it says. */
  readonly file?: 'output' | 'error';
}
