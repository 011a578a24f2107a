import { booksSum } from './books.ts';
import { joined, type Markdown, md } from './escape.ts';
import type { RunReport } from './report.ts';
import { isOpenShard, openRows, sum } from './summary.ts';
import { count, type Figure, many } from './text.ts';

/** The sum that must come out, with a mark or loudly without one, and how many tries it took. */
export function booksSection(run: RunReport): Markdown {
  const { books } = run;
  const line = booksSum(books.items, books.dispositions) as Figure;
  const verdict = books.balanced ? md`${line} ✓` : md`**DOES NOT BALANCE: ${line}**`;
  return md`## Books\n\n${verdict}  \n${attemptsLine(run)}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'] as const;

function attemptsLine({ books, shards }: RunReport): Markdown {
  const { attempts, batches, rounds } = books;
  if (batches === 0) return unsentLine(books);
  const open = sum(shards.filter(isOpenShard).map(({ rows }) => rows));
  const still = open === 0 ? md`` : md`, ${count(open)} of them still open`;
  const head = md`${many(attempts, 'attempt')} in ${many(batches, 'batch', 'batches')}${still}`;
  const tries = rounds.map(
    (round, at) => md`${ordinal(at)} ${count(round.attempts)} (${count(round.ok)} ok)`,
  );
  return joined([head, ...tries], ' · ');
}

/** Answers of earlier runs, and rows set aside, need no batch. */
function unsentLine({ dispositions }: RunReport['books']): Markdown {
  return openRows(dispositions) === 0 ? md`nothing had to be sent` : md`nothing has been sent yet`;
}

function ordinal(at: number): Figure {
  return (ORDINALS[at] ?? `try ${at + 1}`) as Figure;
}
