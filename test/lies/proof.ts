import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import { type IntentId, type JobName, ordinalOf } from '../../runner/ids.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { PassContext } from '../../runner/reconcile/context.ts';
import type { JobReport } from '../../runner/report/report.ts';
import type { ChargeEntry } from '../fake/book.ts';
import { noteFor } from './place.ts';
import type { Ending, Schedule } from './schedule.ts';
import type { Step, Walk } from './walk.ts';

/** Attempts as the ledger has them. */
interface Attempt {
  readonly intent: string;
  readonly ordinal: number;
  readonly class: OutcomeClass | null;
  readonly released: boolean;
}

/** What is wrong at the end of a walk, in sentences; empty where all that is promised holds. */
export async function findViolations(walk: Walk, schedule: Schedule): Promise<string[]> {
  const ctx = await walk.context();
  await ctx.journal.refresh();
  const attempts = await readAttempts(ctx);
  return [
    ...findDoubles(walk, schedule, attempts),
    ...findStrayCharges(walk, attempts),
    ...findDiscards(walk, schedule),
    ...(await findWrongRows(walk)),
    ...findWrongBooks(walk),
    ...findWrongEnd(walk, schedule),
  ];
}

async function readAttempts(ctx: PassContext): Promise<Attempt[]> {
  const job = ctx.repository.jobs[0]?.job ?? null;
  const ledger = await ctx.ledgers.of('tickets' as JobName, job, ctx.journal.state);
  if (ledger === null) return [];
  return ledger.duck.rows<Attempt>(
    `SELECT s.intent, a.ordinal, a.class::VARCHAR AS class, l.ordinal IS NOT NULL AS released
     FROM attempt a JOIN shard s USING (run, shard) LEFT JOIN released l USING (run, shard, ordinal)`,
  );
}

/** A request that was charged again after a try whose end does not allow it, or that the books do not name. */
function findDoubles({ fake }: Walk, { rebuys = [] }: Schedule, attempts: readonly Attempt[]): string[] {
  return fake.truth.boughtTwice().flatMap(({ charges }) =>
    charges
      .toSorted((one, other) => one.at - other.at)
      .slice(0, -1)
      .map((charge) => ({ charge, attempt: attemptOf(charge, attempts) }))
      .filter(({ attempt }) => !mayBuyAgain(attempt, rebuys))
      .map(
        ({ charge, attempt }) =>
          `bought again: ${charge.id} (${charge.fault ?? 'a good answer'}) after class ${attempt?.class}`,
      ),
  );
}

function mayBuyAgain(attempt: Attempt | undefined, rebuys: readonly OutcomeClass[]): boolean {
  if (attempt === undefined || attempt.class === null) return false;
  return attempt.released || rebuys.includes(attempt.class);
}

/**
 * A batch that was given up as absent, and turns up when its rows are announced anew, answers those: then the attempt
 * stands under the second announcement, as `late`.
 */
function attemptOf({ id }: ChargeEntry, attempts: readonly Attempt[]): Attempt | undefined {
  const [intent] = id.split('_');
  const ordinal = intent === undefined ? null : ordinalOf(intent as IntentId, id);
  const tries = attempts.filter((attempt) => attempt.ordinal === ordinal);
  return (
    tries.find((attempt) => attempt.intent === intent) ?? tries.find((attempt) => attempt.class === 'late')
  );
}

function findStrayCharges({ fake }: Walk, attempts: readonly Attempt[]): string[] {
  return fake.book.charged
    .filter((charge) => attemptOf(charge, attempts) === undefined)
    .map(({ id }) => `charged, and no attempt in the ledger: ${id}`);
}

function findDiscards({ fake }: Walk, { blind = false }: Schedule): string[] {
  if (blind) return [];
  return fake.truth.discardedUnread().map(({ what, id }) => `deleted unread: ${what} ${id}`);
}

async function findWrongRows(walk: Walk): Promise<string[]> {
  const rows = await readSink(walk.root);
  const applied = lastReport(walk).run?.books.dispositions.applied ?? 0;
  const ids = new Set(rows.map(({ id }) => id));
  return [
    ...(ids.size === rows.length ? [] : ['a row stands twice in the sink']),
    ...(rows.length === applied ? [] : [`${rows.length} rows in the sink, ${applied} applied in the books`]),
    ...rows
      .filter(({ id, note }) => note !== noteFor(id))
      .map(({ id, note }) => `a wrong answer at ${id}: ${note}`),
  ];
}

async function readSink(root: string): Promise<{ id: string; note: string | null }[]> {
  const path = join(root, 'out/tickets.parquet');
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return [];
  reader ??= openDuck();
  return (await reader).rows(`SELECT id, note FROM read_parquet(${sqlText(path)})`);
}

/** One for all walks of a file: to open another each time takes longer than what it is asked. */
let reader: Promise<Duck> | null = null;

/** Each step's dispositions add up to the manifest, and never is a row applied less than before. */
function findWrongBooks({ steps }: Walk): string[] {
  return steps.flatMap(({ report, at }, nth) => {
    const books = report.run?.books;
    if (books === undefined) return [];
    const sum = Object.values(books.dispositions).reduce((all, rows) => all + rows, 0);
    const before = steps[nth - 1]?.report.run?.books.dispositions.applied ?? 0;
    return [
      ...(books.balanced && sum === books.items ? [] : [`books of ${sum} for ${books.items} rows at ${at}`]),
      ...((books.dispositions.applied ?? 0) >= before ? [] : [`fewer rows are applied at ${at}`]),
    ];
  });
}

function findWrongEnd(walk: Walk, { ends }: Schedule): string[] {
  if (lastReport(walk).run === null) return ['there is no run'];
  const creates = walk.fake.book.creates.length;
  return [
    ...(creates === (ends.creates ?? creates) ? [] : [`${creates} creates, expected ${ends.creates}`]),
    ...findLateParts(walk, ends.first),
    ...(ends.as === 'told'
      ? [...findUntold(walk), ...findWrongRest(walk, ends.left)]
      : findUnapplied(walk, ends.by)),
  ];
}

/** What a batch has answered is applied in the pass that could read it, whatever became of its other rows. */
function findLateParts({ steps }: Walk, first: number | undefined): string[] {
  if (first === undefined) return [];
  const applied =
    steps.map(({ report }) => report.run?.books.dispositions.applied ?? 0).find((rows) => rows > 0) ?? 0;
  return applied === first ? [] : [`${applied} rows were applied at first, expected ${first}`];
}

function findWrongRest(walk: Walk, left: Extract<Ending, { as: 'told' }>['left']): string[] {
  if (left === undefined) return [];
  const { applied, ...rest } = lastReport(walk).run?.books.dispositions ?? {};
  const found = Object.fromEntries(Object.entries(rest).filter(([, rows]) => rows > 0));
  return isDeepStrictEqual(found, left) ? [] : [`left over: ${JSON.stringify(found)}`];
}

function findUnapplied(walk: Walk, latest: number | undefined): string[] {
  const { run } = lastReport(walk);
  if (run === null) return [];
  const { dispositions, items } = run.books;
  const by = appliedAt(walk.steps);
  return [
    ...(dispositions.applied === items ? [] : [`at the end ${JSON.stringify(dispositions)}`]),
    ...(latest === undefined || by <= latest
      ? []
      : [`applied after ${by / 60_000} min, expected ${latest / 60_000}`]),
    ...findWrongMoney(walk, run),
  ];
}

/** Tokens as they were charged, and nothing reserved; where rows were paid for twice, the books say more. */
function findWrongMoney({ fake }: Walk, { books, money }: NonNullable<JobReport['run']>): string[] {
  const { requests, input, output } = fake.truth.totals();
  const isSame = money.settledInputTokens === input && money.settledOutputTokens === output;
  return [
    ...(requests !== books.items || isSame
      ? []
      : [`tokens ${money.settledInputTokens}+${money.settledOutputTokens}, charged ${input}+${output}`]),
    ...((money.reservedUsd ?? 0) === 0 ? [] : [`still reserved: ${money.reservedUsd}`]),
  ];
}

/** When all rows were first applied. */
function appliedAt(steps: readonly Step[]): number {
  const step = steps.find(({ report }) => report.run?.books.dispositions.applied === report.run?.books.items);
  return step?.at ?? Number.POSITIVE_INFINITY;
}

/**
 * Rows without an answer must be told, with what a person can do; nothing may be left that looks like progress. One of
 * the last looks is enough: at the very last a small batch may be under way that asks whether there is room again.
 */
function findUntold({ steps }: Walk): string[] {
  const { dispositions = {}, items = 0 } = steps.at(-1)?.report.run?.books ?? {};
  const left = items - (dispositions.applied ?? 0);
  if (left === 0 || steps.slice(-3).some(({ report }) => tellsWhatToDo(report))) return [];
  return [`${left} rows are not applied, and nothing is said of them: ${JSON.stringify(dispositions)}`];
}

function tellsWhatToDo({ waits, run }: JobReport): boolean {
  return waits.some(({ command }) => command !== null) || (run?.needs.length ?? 0) > 0;
}

function lastReport({ steps }: Walk): Step['report'] {
  const last = steps.at(-1);
  if (last === undefined) throw new Error('there was no pass');
  return last.report;
}
