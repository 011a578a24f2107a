import type { Duck } from '../../duck.ts';
import { intentsOf } from '../../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../../journal/state.ts';
import { dispositionCounts } from '../../ledger/books.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type AttemptRows,
  attemptRows,
  boughtTwice,
  type ManifestRows,
  manifestRows,
  type OutcomeRows,
  outcomeRows,
} from '../../ledger/proof.ts';
import type { Disposition } from '../../outcome/disposition.ts';
import { booksSum, sumOf } from '../../report/books.ts';
import { many } from '../../report/text.ts';
import type { Check } from '../../report/verify-view.ts';
import type { Store } from '../../store/port.ts';
import { presentPath } from '../stored.ts';
import { proved, unproved, whyOf } from './check.ts';

/** The ledger of the job, made anew from journal and files; or why that cannot be done. */
export type MadeLedger = { readonly ledger: Ledger } | { readonly why: string };

/** Where the books of a run are judged: the fold, a fresh ledger, and a DuckDB of no job for single files. */
export interface BooksOrder {
  readonly state: JournalState;
  readonly run: RunState;
  readonly made: MadeLedger;
  readonly store: Store;
  readonly duck: Duck;
}

/**
 * The books of one run: the manifest has the rows that were frozen, each row one disposition, each settled batch one
 * outcome for each row that it was announced with, and their sums are those of the journal.
 */
export async function checkBooks(order: BooksOrder): Promise<Check> {
  const { run, state, made } = order;
  const of = { job: run.job, check: 'run', subject: `run ${run.run}` };
  const settled = intentsOf(state, run).filter((intent) => intent.settled !== null);
  const attempts = 'why' in made ? null : await attemptRows(made.ledger.duck, run.run);
  const problems: string[] = [];
  for (const intent of settled) problems.push(...(await judgeIntent(order, intent, attempts)));
  if ('why' in made) {
    return unproved(of, 'wrong', {
      message: 'its books cannot be worked out',
      details: [made.why, ...problems],
      next: 'mend what the checks of journal and files name',
    });
  }
  const { duck } = made.ledger;
  const dispositions = await dispositionCounts(duck, run.run);
  problems.unshift(...bookProblems(run, dispositions, await manifestRows(duck, run.run)));
  const sum = booksSum(run.manifest.items, dispositions);
  if (problems.length > 0) {
    const next = `\`batchwright state rebuild ${run.job}\`; if it stays so, please report it with the journal`;
    return unproved(of, 'wrong', { message: `its books are wrong: ${sum}`, details: problems, next });
  }
  const batches = settled.length === 1 ? '1 settled batch has' : `${settled.length} settled batches have`;
  return proved(of, `${sum}; ${batches} one outcome for each row announced`);
}

async function judgeIntent(
  { store, duck }: BooksOrder,
  intent: IntentState,
  attempts: readonly AttemptRows[] | null,
): Promise<string[]> {
  if (intent.settled === null) return [];
  const { outcomes } = intent.settled;
  try {
    const rows = await outcomeRows(duck, await presentPath(store, outcomes), intent.ordinals);
    return intentProblems(intent, rows, attempts);
  } catch (error) {
    return [`shard ${intent.shard}: ${outcomes.name} cannot be read (${whyOf(error)})`];
  }
}

/** Pure. `attempts`: of the run's ledger; null where there is none. */
export function intentProblems(
  intent: IntentState,
  rows: OutcomeRows,
  attempts: readonly AttemptRows[] | null,
): string[] {
  const { settled } = intent;
  const announced = intent.ordinals.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const own = attempts?.find((each) => each.shard === intent.shard);
  const problems: string[] = [];
  const expect = (what: string, found: number, expected: number) => {
    if (found !== expected) problems.push(`shard ${intent.shard}: ${what}: ${found} instead of ${expected}`);
  };
  expect('rows announced by their ordinals', announced, intent.count);
  expect('rows in its outcomes file', rows.rows, intent.count);
  expect('different rows in its outcomes file', rows.ordinals, intent.count);
  expect('announced rows in its outcomes file', rows.own, intent.count);
  if (attempts !== null) {
    expect('attempts in the ledger', own?.attempts ?? 0, intent.count);
    expect('attempts with an outcome in the ledger', own?.closed ?? 0, intent.count);
  }
  if (settled === null) return problems;
  const { counts, usage } = settled.summary;
  for (const each of new Set([
    ...Object.keys(counts),
    ...Object.keys(rows.counts),
  ] as (keyof typeof counts)[])) {
    expect(`outcomes \`${each}\``, rows.counts[each] ?? 0, counts[each] ?? 0);
  }
  expect('input tokens', rows.inputTokens, usage.inputTokens);
  expect('output tokens', rows.outputTokens, usage.outputTokens);
  return problems;
}

/** Pure. */
export function bookProblems(
  run: RunState,
  dispositions: Readonly<Partial<Record<Disposition, number>>>,
  rows: ManifestRows,
): string[] {
  const { items, setAside } = run.manifest;
  const problems: string[] = [];
  const expect = (what: string, found: number, expected: number) => {
    if (found !== expected) problems.push(`${what}: ${found} instead of ${expected}`);
  };
  expect('rows in the manifest', rows.rows, items);
  expect('different ordinals in the manifest', rows.ordinals, items);
  expect('the last ordinal of the manifest', rows.last ?? -1, items - 1);
  expect('rows set aside', rows.setAside, setAside);
  expect('rows with a disposition', sumOf(dispositions), items);
  expect('rows that count as set aside', dispositions.set_aside ?? 0, setAside);
  return problems;
}

/** Enough to look one up; `batchwright sql` gives the others. */
const EXAMPLES = 5;

/** Promise number two: over all runs of the job, no request has two answers of one account. */
export async function checkBoughtOnce({ job, duck }: Ledger): Promise<Check> {
  const of = { job, check: 'bought-once' };
  const { requests, examples } = await boughtTwice(duck, EXAMPLES);
  if (requests === 0) return proved(of, 'no request has been answered twice');
  return unproved(of, 'wrong', {
    message: `${many(requests, 'request')} ${requests === 1 ? 'has' : 'have'} been answered, and charged, more than once`,
    details: examples.map(({ request, times, place }) => `${request}: ${times} times, in ${place}`),
    next: 'nothing can be done about what is paid; please report it with the journal',
  });
}
