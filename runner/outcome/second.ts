import type { Classified } from './classify.ts';
import { words } from './words.ts';

/** What is known of an item when a line about it is read. */
export interface SecondFacts {
  /** Another batch has given an accepted answer to its request. */
  readonly answered: boolean;
  /** The line is of a second batch: of one that nobody announced, or that came after its intent was given up. */
  readonly second: boolean;
  /** The attempt that the line belongs to has its outcome, or was given up. */
  readonly closed: boolean;
}

/** The answer of a line whose item needs none any more is kept for a reader, cut like any other. */
const MOST_SAID = 2_000;

/**
 * Pure: what a line is worth where two batches may have the same item. The first accepted answer wins. A second batch
 * is no try of ours: what went wrong in it neither uses a try up nor decides about the item, but for a refusal and an
 * invalid request, which would come out the same again.
 */
export function besideOthers(row: Classified, { answered, second, closed }: SecondFacts): Classified {
  if (answered) return row.class === 'ok' || second ? duplicateOf(row) : row;
  // What cannot be read yet may hold the answer, whichever batch it is in.
  if (!second || LASTING.has(row.class) || row.class === 'unreadable') return row;
  if (row.class === 'ok')
    return closed ? { ...row, class: 'late', cause: 'came after it was given up' } : row;
  return { ...row, class: 'late' };
}

const LASTING: ReadonlySet<Classified['class']> = new Set(['refused', 'invalid_request']);

function duplicateOf(row: Classified): Classified {
  const what =
    row.class === 'ok'
      ? 'another batch had answered it'
      : `another batch had answered it; here: ${row.cause}`;
  const said = row.answer === null ? row.said : words(row.answer, MOST_SAID);
  return { ...row, class: 'duplicate', cause: words(what, 160), answer: null, said };
}
