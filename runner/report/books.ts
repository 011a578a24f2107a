import { DISPOSITIONS, type Disposition } from '../outcome/disposition.ts';
import { count } from './text.ts';

/** How dispositions are called where people read. */
export const DISPOSITION_WORDS: Readonly<Record<Disposition, string>> = {
  applied: 'applied',
  reused: 'reused',
  valid_not_applied: 'answered, not yet applied',
  held: 'held',
  failed: 'failed',
  refused: 'refused',
  set_aside: 'set aside',
  retired: 'retired',
  superseded: 'superseded',
  in_flight: 'in flight',
  ambiguous: 'ambiguous',
  unreadable: 'unreadable',
  waiting: 'waiting for a retry',
  unsent: 'not yet sent',
  withdrawn: 'withdrawn',
};

type Dispositions = Readonly<Partial<Record<Disposition, number>>>;

/** `100,000 manifest = 99,412 applied + 588 held`; with `≠` and the other sum where it does not add up. */
export function booksSum(items: number, dispositions: Dispositions): string {
  const parts = DISPOSITIONS.flatMap((name) => {
    const rows = dispositions[name] ?? 0;
    return rows === 0 ? [] : [`${count(rows)} ${DISPOSITION_WORDS[name]}`];
  });
  const sum = sumOf(dispositions);
  const right = parts.length === 0 ? '0' : parts.join(' + ');
  return sum === items
    ? `${count(items)} manifest = ${right}`
    : `${count(items)} manifest ≠ ${right} (= ${count(sum)}, a difference of ${count(Math.abs(items - sum))})`;
}

export function sumOf(dispositions: Dispositions): number {
  return Object.values(dispositions).reduce((sum, rows) => sum + rows, 0);
}
