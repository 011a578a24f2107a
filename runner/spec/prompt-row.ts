/** One row of the source as plain data; numbers may be objects that keep their source text (`ExactNumber`). */
export type Row = Readonly<Record<string, unknown>>;

/** A use of a column in a template, and where. */
export interface PromptPath {
  /** The column of the row. */
  readonly name: string;
  /** The whole path as written: `user.name`, `../lang`. */
  readonly path: string;
  /** From the root; line and column count from 1. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
  /** The source line. */
  readonly source: string;
}
