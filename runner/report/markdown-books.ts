import { booksSum } from './books.ts';
import { joined, type Markdown, md } from './escape.ts';
import type { RunReport } from './report.ts';
import { count, type Figure, many } from './text.ts';

/** The sum that must come out, with a mark or loudly without one, and how many tries it took. */
export function booksSection({ books }: RunReport): Markdown {
  const line = booksSum(books.items, books.dispositions) as Figure;
  const verdict = books.balanced ? md`${line} ✓` : md`**DOES NOT BALANCE: ${line}**`;
  return md`## Books\n\n${verdict}  \n${attemptsLine(books)}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'] as const;

function attemptsLine({ attempts, batches, rounds }: RunReport['books']): Markdown {
  if (batches === 0) return md`nothing has been sent yet`;
  if (attempts === 0) return md`${many(batches, 'batch', 'batches')} sent, nothing settled yet`;
  const tries = rounds.map(
    (round, at) => md`${ordinal(at)} ${count(round.attempts)} (${count(round.ok)} ok)`,
  );
  const head = md`${many(attempts, 'attempt')} in ${many(batches, 'batch', 'batches')}`;
  return joined([head, ...tries], ' · ');
}

function ordinal(at: number): Figure {
  return (ORDINALS[at] ?? `try ${at + 1}`) as Figure;
}
