import type { Finding } from '../errors.ts';
import type { AnswerKind } from '../spec/value-kind.ts';
import type { Column } from './columns.ts';
import { type Form, propertyColumns } from './select.ts';

/** Characters of a value that a finding shows. */
export const VALUE_LENGTH = 80;

/** A value that a file would change or lose. */
export interface Misfit {
  readonly key: string;
  /** Null where the answer as a whole is none. */
  readonly column: string | null;
  readonly value: string;
  /** The row is an earlier run's: the input has it no more. */
  readonly kept: boolean;
}

/** What keeps a file from being written, and what helps at which cost. */
export function misfitFinding(misfit: Misfit, columns: readonly Column[], form: Form): Finding {
  const where = `the answer of ${shown(misfit.key)}${misfit.kept ? KEPT : ''}`;
  if (misfit.column === null) {
    return {
      level: 'error',
      code: 'sink-unreadable-answer',
      message: `${where} is not ${wanted(columns)} that UTF-8 can hold (half a surrogate pair, perhaps): ${shown(misfit.value)}`,
      hint: 'nothing was written; the answer stands unchanged in the raw files of its run',
    };
  }
  const column = columns.find(({ name }) => name === misfit.column);
  const { from } = column ?? {};
  const kind = from?.kind === 'property' || from?.kind === 'answer' ? from.value : 'string';
  return {
    level: 'error',
    code: 'sink-value-misfit',
    message: `column \`${misfit.column}\` is ${(form === 'columns' ? TYPES : PLAIN)[kind]}, but ${where} has ${shown(misfit.value)}`,
    hint: hintFor(kind, form, misfit),
  };
}

const KEPT = ', which an earlier run gave and the input has no more,';

/** Nothing is advised that buys all rows again without saying so. */
function hintFor(kind: AnswerKind, form: Form, { kept }: Misfit): string {
  const leaves = kept ? '; `on_removed: delete` leaves such rows out, at no cost' : '';
  const isCounted = kind === 'integer' || kind === 'number';
  return `nothing was written${leaves}; ${form === 'columns' && isCounted ? KEEP_DIGITS : ASK_ANEW}`;
}

const KEEP_DIGITS =
  'a `jsonl` or `csv` file keeps every digit, at no cost. A schema that asks for a string is a new question: all rows are sent and paid for again';
const ASK_ANEW =
  'the answer stands unchanged in the raw files of its run. Another type in the schema is a new question: all rows are sent and paid for again';

function wanted(columns: readonly Column[]): string {
  return propertyColumns(columns).length === 0 ? 'JSON' : 'a JSON object';
}

export function shown(value: string): string {
  const cut = value.length > VALUE_LENGTH ? `${value.slice(0, VALUE_LENGTH)}…` : value;
  return JSON.stringify(cut);
}

/** What a text file holds under a name. */
const PLAIN: Readonly<Record<AnswerKind, string>> = {
  string: 'for strings',
  integer: 'for whole numbers',
  number: 'for numbers',
  boolean: 'for true and false',
  json: 'for JSON',
  vector: 'for lists of numbers',
};

const TYPES: Readonly<Record<AnswerKind, string>> = {
  string: 'VARCHAR, which holds strings',
  integer: 'BIGINT, which holds whole numbers of 64 bits',
  number: 'DOUBLE, which holds what a 64-bit float can hold exactly',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
  vector: 'DOUBLE[], which holds lists of numbers',
};
