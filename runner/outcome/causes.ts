/** Causes by which others go than the reader of a page: what may have been billed, and what a person can do. */

export const REFUSED_BY_MODEL = 'refused by the model';
export const FILTERED = 'content filter';
export const CONTEXT_FULL = 'the context window was full';
export const LANGUAGE_NOT_HELD = 'in a language that the model does not have';
export const UNKNOWN_STOP = 'stopped for an unknown reason';
export const CAPPED = 'stopped at the token cap';
export const CAPPED_BLANK = 'nothing but blanks up to the token cap';
export const EMPTY = 'empty answer';
/** An answer that its schema lets through and a sink cannot hold. The ledger knows such rows by these words. */
export const MISFIT = 'does not fit the column';
/** What a typed column holds, where a text file would keep the digits. */
export const HOLDS_INT64 = 'whole numbers of 64 bits';
export const HOLDS_FLOAT64 = 'what a 64-bit float can hold exactly';
export const SEVERAL = 'several different answers in one reply';

const ANSWERS: ReadonlySet<string> = new Set([REFUSED_BY_MODEL, FILTERED, CONTEXT_FULL, LANGUAGE_NOT_HELD]);

/** True for causes of rows that no answer came of although a model has worked: not errors, which are free. */
export function isAnswerCause(cause: string): boolean {
  return ANSWERS.has(cause);
}
