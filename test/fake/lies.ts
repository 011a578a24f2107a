import type { Phase } from './life.ts';
import type { ModelRequest, Part, ProviderName } from './model.ts';
import type { RowFault } from './rows.ts';

/** Which errand of a client a lie is told on. `row` is the model's work itself, `ask` a synchronous call. */
export type Errand =
  | 'upload'
  | 'create'
  | 'poll'
  | 'list'
  | 'file'
  | 'download'
  | 'cancel'
  | 'delete'
  | 'ask'
  | 'row';

/** How a body is framed: with a Content-Length that fits it, or in chunks without one. */
export type Framing = 'length' | 'chunked';

/** Lies in place of any answer; nothing happens behind them. */
export type Refusal =
  | { kind: 'status'; code: number; headers?: Record<string, string>; body?: unknown }
  | { kind: 'json_error' }
  | { kind: 'html' }
  | { kind: 'empty' }
  | { kind: 'reset' }
  /** No answer at all, until the client gives up: only for clients with a short time-out. */
  | { kind: 'silence' };

/** The deed is done, and its answer is lost. */
export type Committed =
  | { kind: 'commit_then_status'; code: number }
  | { kind: 'commit_then_html' }
  | { kind: 'commit_then_reset' }
  | { kind: 'commit_then_silence' };

/** Lies about the lines of a result file. Without a framing the Content-Length fits the shorter body. */
export type FileLie =
  | { kind: 'null_ids' }
  | { kind: 'renamed_ids' }
  | { kind: 'missing_lines'; count: number; framing?: Framing }
  | { kind: 'cut_line'; framing?: Framing }
  /** The full length is promised, and the connection breaks in the middle. */
  | { kind: 'reset_midway'; framing?: Framing }
  /** A line of rubbish before the line at an index, or in its place. */
  | { kind: 'rubbish_line'; at?: number; instead?: boolean }
  | { kind: 'blank_line' }
  | { kind: 'no_final_newline' }
  /** Good lines whose content is not to be understood, for the first `count` lines or all. */
  | { kind: 'strange_content'; content: 'empty' | 'text' | 'null'; count?: number }
  /** The content is right, but as JSON text in a string. */
  | { kind: 'content_as_text' }
  /** The line at an index comes twice: as it is, and with another content or the same. */
  | { kind: 'twin'; at?: number; same?: boolean }
  /** The file of another batch of the same provider, or lines under ids of nobody. */
  | { kind: 'foreign_lines'; beside?: boolean };

/** Lies about the state of a batch. */
export type PollLie =
  | { kind: 'counts'; tale: CountsTale }
  | { kind: 'word'; word: string }
  | { kind: 'phase'; phase: Phase }
  /** Ended, but the result files are not named yet. */
  | { kind: 'no_results' };

export type CountsTale = 'null' | 'absent' | 'zero' | 'other_total' | 'low' | 'high';

export type SizeLie = { kind: 'size'; tale: 'null' | 'absent' | 'zero' | 'more' | 'less' };

export type ListLie =
  /** Tells the world as it was so many milliseconds ago. */
  | { kind: 'lag'; ms: number }
  | { kind: 'empty_page' }
  /** Says after the first page that there is no other. */
  | { kind: 'first_page_only' }
  /** The batch that `batch` names is not in it. */
  | { kind: 'hidden' };

type Told =
  | { on: 'upload' | 'ask'; what: Refusal | Committed }
  /** `commit_twice`: something on the way repeats the create; the answer is that of the second batch. */
  | { on: 'create'; what: Refusal | Committed | { kind: 'commit_twice' } }
  | { on: 'cancel' | 'delete'; what: Refusal | Committed | { kind: 'ignored' } }
  | { on: 'poll'; what: Refusal | PollLie }
  | { on: 'list'; what: Refusal | ListLie | PollLie }
  | { on: 'file'; what: Refusal | SizeLie }
  | { on: 'download'; what: Refusal | FileLie }
  | { on: 'row'; what: RowFault; when?: (row: ModelRequest) => boolean };

/** When a lie is told, and to whom. All bounds are milliseconds; `from` is inclusive, `until` is not. */
export type Scope = {
  provider?: ProviderName;
  /** Only of this batch of its provider, from 1. For creates: of the attempt that would make it. */
  batch?: number;
  /** Only of this result file. */
  part?: Part;
  /** Since the start of the fake. */
  from?: number;
  until?: number;
  /** Since the end of the batch. */
  afterEnd?: { from: number; until: number };
  /** At most so many times. */
  times?: number;
};

export type Lie = Scope & Told;

/** What is known of an errand when a lie is looked for. */
export type Occasion = {
  on: Errand;
  provider: ProviderName;
  batch: number | null;
  part: Part | null;
  endedAt: number | null;
  row?: ModelRequest;
};

/** Keeps the lies, and says which one is due. */
export type Liar = {
  tell(...lies: Lie[]): void;
  /** Forgets all lies. */
  stop(): void;
  /** The first lie that fits, counted as told; null where the truth is told. */
  find(occasion: Occasion, now: number): Lie | null;
};

/** Makes a liar; `start` is when the fake began. */
export function createLiar(start: number, first: readonly Lie[]): Liar {
  let held = first.map((lie) => ({ lie, told: 0 }));
  return {
    tell: (...lies) => void held.push(...lies.map((lie) => ({ lie, told: 0 }))),
    stop: () => {
      held = [];
    },
    find(occasion, now) {
      const entry = held.find(
        ({ lie, told }) => told < (lie.times ?? Infinity) && fits(lie, occasion, now, start),
      );
      if (entry === undefined) return null;
      entry.told += 1;
      return entry.lie;
    },
  };
}

function fits(lie: Lie, occasion: Occasion, now: number, start: number): boolean {
  if (lie.on !== occasion.on || !fitsTime(lie, occasion.endedAt, now, start)) return false;
  if (lie.provider !== undefined && lie.provider !== occasion.provider) return false;
  // A list is of all batches: which one is hidden is told by `batch` itself.
  if (lie.batch !== undefined && lie.batch !== occasion.batch && lie.on !== 'list') return false;
  if (lie.part !== undefined && lie.part !== occasion.part) return false;
  return lie.on !== 'row' || lie.when === undefined || (occasion.row !== undefined && lie.when(occasion.row));
}

function fitsTime(lie: Lie, endedAt: number | null, now: number, start: number): boolean {
  const since = now - start;
  if (since < (lie.from ?? 0) || since >= (lie.until ?? Infinity)) return false;
  if (lie.afterEnd === undefined) return true;
  if (endedAt === null) return false;
  return now - endedAt >= lie.afterEnd.from && now - endedAt < lie.afterEnd.until;
}
