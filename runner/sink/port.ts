import type { Duck } from '../duck.ts';
import type { Digest, JsonObject } from '../ids.ts';

/**
 * Where answers go. Level-based: a sink is written whole from everything that is settled, and the digest of the file
 * that stands there is the proof. A missing or different file is simply written again; nothing is ever appended,
 * so that a pass which dies between the write and its receipt changes nothing by being repeated.
 */
export interface Sink {
  /** Where its file stands, absolute. */
  readonly path: string;
  /**
   * Writes the file whole or not at all, durable when it returns. The same content gives the same bytes.
   * @throws UserError where a value does not fit its column, two columns share a name, or two rows share a key;
   * then the file that stood there is untouched.
   */
  write(content: SinkContent): Promise<SinkProof>;
  /** What stands there now, or null where nothing does. */
  observe(): Promise<{ readonly digest: Digest; readonly bytes: number } | null>;
}

export interface SinkProof {
  readonly digest: Digest;
  readonly bytes: number;
  readonly rows: number;
}

/** Rows of earlier runs, which the input has no more, come after all of the run itself. */
export const FIRST_KEPT = 2 ** 32;

/**
 * The rows of a sink and what they are.
 *
 * `relation` is the text of one SELECT that `duck` can run, once or several times with the same result. Its columns
 * have fixed names, so that no column of a source can collide with ours:
 *
 * | column | type | is |
 * |---|---|---|
 * | ordinal | INTEGER or BIGINT | the row's place in the file; rows are sorted by it, those of earlier runs from `FIRST_KEPT` on |
 * | key0, key1 … | VARCHAR | the key columns, in the order of `key` |
 * | pass0, pass1 … | any scalar | the passed columns, in the order of `pass` |
 * | answer | VARCHAR | the accepted answer as JSON text; a JSON string for free text. No name twice in an object |
 * | run | INTEGER | the run that the row belongs to |
 * | custom_id, model, hash | VARCHAR | readable id, served model (NULL where unknown), request hash |
 * | retired | INTEGER | where `marks`: the first run whose input has the row no more; NULL where it has |
 */
export interface SinkContent {
  readonly duck: Duck;
  readonly relation: string;
  /**
   * SELECTs that together give the rows of `relation`, in the order of their ordinals, for where a hundred thousand rows
   * can be joined and sorted in memory but not a million. Absent: there are few.
   */
  readonly pieces?: readonly string[];
  readonly key: readonly string[];
  readonly pass: readonly string[];
  /** Rows that are gone from the input stay, and say since when. Absent: they do not say. */
  readonly marks?: boolean;
  /**
   * Bytes of a row, on average over the longest stretch of some thousand: those of its answer, and those of what is
   * passed on, at most. Long rows are handled a few at a time. Absent: they are short.
   */
  readonly rowBytes?: { readonly answer: number; readonly passed: number };
  /** What the answers follow, from `answerSchema`; null for free text. */
  readonly schema: JsonObject | null;
  /** True: each answer is a list of numbers, and stands in one column `embedding`. */
  readonly isVector?: boolean;
}

/** Makes the sink for one file; `path` is absolute. */
export type SinkFactory = (path: string) => Sink;
