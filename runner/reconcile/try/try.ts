import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFiles, userError } from '../../errors.ts';
import { type IntentId, type JobName, newIntentId } from '../../ids.ts';
import type { TryIntent } from '../../journal/events.ts';
import { currentRun } from '../../journal/fold.ts';
import { JournalMoved } from '../../journal/journal.ts';
import { answersOfKeys } from '../../ledger/answers-of-keys.ts';
import { machineTroubleOf } from '../../machine-trouble.ts';
import { draftManifest } from '../../manifest/freeze.ts';
import { type PickedRow, pickRows, type RowChoice } from '../../manifest/pick.ts';
import { type Price, priceOf, synchronousUsd } from '../../manifest/price.ts';
import { digestSources } from '../../manifest/source.ts';
import { ceilingTokens } from '../../manifest/tokens.ts';
import { gateTry } from '../../plan/gate.ts';
import type { Provider } from '../../provider/port.ts';
import type { TryView } from '../../report/try-view.ts';
import type { Job, LoadedJob } from '../../spec/job.ts';
import { endpointFacts } from '../../spec/profiles.ts';
import type { PassContext } from '../context.ts';
import { sourceRoots } from '../draft.ts';
import { limitsOn } from '../limits.ts';
import { type Asked, askRows, keepAnswers, triedRow } from './try-ask.ts';

export interface TryOrder {
  readonly loaded: LoadedJob;
  readonly choice: RowChoice;
  /** USD, for all rows together. */
  readonly maxUsd: number;
  readonly by: string;
}

/**
 * Asks a few rows now, through the synchronous API: announced before, receipted after, applied nowhere. It reads the
 * work tree as it stands, since it is the loop in which people write prompts.
 * @throws UserError where rows cannot be used, or where a limit forbids it; then nothing is asked
 * @throws AnswersNotKept where the disk was full by the time that they came
 */
export async function tryRows(ctx: PassContext, order: TryOrder): Promise<TryView> {
  const { job } = order.loaded;
  // First of all: for want of a key nothing should be read.
  const provider = await ctx.provider(job.model.provider);
  const work = join(ctx.work, 'try', job.name);
  await mkdir(work, { recursive: true });
  try {
    const price = await knownPrice(ctx, order.loaded, provider);
    const rows = await rowsOf(ctx, order, provider, work, price);
    const ceilings = rows.map((row) => ceilingUsd(row, job.output.maxTokens, price));
    const attempt = await announce(ctx, order, provider, rows, sumOf(ceilings));
    const asked = await askRows(ctx, order.loaded, provider, attempt, rows);
    const bill = billOf(asked, ceilings, price);
    const tried = { rows, asked, price, reservedUsd: sumOf(ceilings), ...bill };
    try {
      await keep(ctx, job.name, attempt, tried);
    } catch (error) {
      if (machineTroubleOf(error) === null) throw error;
      throw new AnswersNotKept(await viewOf(ctx, order, provider, tried), error);
    }
    return await viewOf(ctx, order, provider, tried);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Answers were paid for and could not be kept: whoever asked sees them now or never. What they may have cost stays reserved. */
export class AnswersNotKept extends Error {
  override readonly name = 'AnswersNotKept';
  readonly view: TryView;

  constructor(view: TryView, cause: unknown) {
    super('the answers could not be kept', { cause });
    this.view = view;
  }
}

async function keep(
  ctx: PassContext,
  job: JobName,
  attempt: IntentId,
  { asked, usd, unknownUsd }: Tried,
): Promise<void> {
  const raw = await keepAnswers(ctx.store, job, attempt, asked);
  const answered = asked.filter(({ kind }) => kind === 'answered').length;
  await ctx.journal.append([{ type: 'try.answered', attempt, job, raw, answered, usd, unknownUsd }]);
}

async function knownPrice(ctx: PassContext, { job }: LoadedJob, { profile }: Provider): Promise<Price> {
  const { settings } = ctx;
  const price = await priceOf({
    model: job.model,
    settings,
    batchFactor: profile.batchFactor,
    now: ctx.now(),
  });
  if (price !== null) return price;
  const model = `${job.model.provider}/${job.model.name}`;
  throw userError(
    'price-unknown',
    `The price of ${model} is unknown, so that nobody can say what a try may cost.`,
    `Set \`models."${model}".price\` in batchwright.yaml.`,
  );
}

/** Bad rows are for `plan` to tell: one of them should not keep a person from trying the others. */
async function rowsOf(
  ctx: PassContext,
  { loaded, choice }: TryOrder,
  { profile, encoder }: Provider,
  work: string,
  price: Price,
): Promise<PickedRow[]> {
  const { job, schema } = loaded;
  const tolerant = { ...loaded, job: { ...job, input: { ...job.input, onBadRow: 'set_aside' as const } } };
  const manifest = await draftManifest(tolerant, {
    root: ctx.root,
    work,
    encode: encoder(job.model, job.output, schema?.sent ?? null),
    endpoint: job.model.endpoint,
    maxRequestBytes: profile.maxBytesPerBatch,
    maxInputTokens: endpointFacts(profile.kind, job.model.endpoint)?.maxInputTokens ?? null,
    price,
    settings: ctx.settings,
    expectedOutputTokens: null,
    digests: await digestSources(job.input, sourceRoots(ctx)),
  });
  const rows = await pickRows(manifest, choice, join(work, 'pick'));
  if (rows.length > 0) return rows;
  throw userError('no-rows', 'The input has no row that can be sent.');
}

/** The most that one request may cost. */
function ceilingUsd({ inputTokens }: PickedRow, maxTokens: number, price: Price): number {
  const most = ceilingTokens(inputTokens);
  const { longContext } = price;
  const rate = longContext !== null && most > longContext.aboveTokens ? longContext : price;
  return synchronousUsd({ inputTokens: most, outputTokens: maxTokens }, rate);
}

/** Another writer may announce spend meanwhile: then the budgets are asked again. */
async function announce(
  ctx: PassContext,
  order: TryOrder,
  { account }: Provider,
  rows: readonly PickedRow[],
  reservedUsd: number,
): Promise<IntentId> {
  const { job } = order.loaded;
  const intent: TryIntent = {
    type: 'try.intent',
    attempt: newIntentId(),
    job: job.name,
    owner: job.owner,
    account: account.id,
    emulator: account.emulator,
    model: `${job.model.provider}/${job.model.name}`,
    requests: rows.map(({ requestHash }) => requestHash),
    reservedUsd,
    commit: ctx.commit,
    by: order.by,
  };
  for (;;) {
    refuseCost(ctx, order, reservedUsd, account.emulator);
    try {
      await ctx.journal.append([intent]);
      return intent.attempt;
    } catch (error) {
      if (!(error instanceof JournalMoved)) throw error;
    }
  }
}

function refuseCost(ctx: PassContext, order: TryOrder, reservedUsd: number, emulator: boolean): void {
  const { job } = order.loaded;
  if (reservedUsd > order.maxUsd) {
    throw userError(
      'try-too-dear',
      `These rows may cost up to $${reservedUsd.toFixed(4)} at the synchronous price, and a try may cost $${order.maxUsd}.`,
      'Ask fewer rows with `-n`, lower `output.max_tokens`, or allow more with `--max-usd`.',
    );
  }
  const verdict = gateTry(reservedUsd, limitsOn(ctx, job, emulator));
  if (verdict.kind === 'blocked') throw userError('budget-exceeded', `${verdict.message}.`, verdict.next);
}

/** Usage where it was told; where it was not, what the request may have cost stays set aside. */
function billOf(asked: readonly Asked[], ceilings: readonly number[], price: Price) {
  const usages = asked.map((each) => (each.kind === 'answered' ? each.outcome.usage : null));
  const unknown = asked.map((each, at) =>
    each.mayBeBilled && usages[at] === null ? (ceilings[at] ?? 0) : 0,
  );
  return {
    usd: sumOf(usages.map((usage) => (usage === null ? 0 : synchronousUsd(usage, price)))),
    unknownUsd: sumOf(unknown),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

interface Tried {
  readonly rows: readonly PickedRow[];
  readonly asked: readonly Asked[];
  readonly price: Price;
  readonly reservedUsd: number;
  readonly usd: number;
  readonly unknownUsd: number;
}

async function answersBefore(ctx: PassContext, job: Job, run: number, keys: readonly string[]) {
  const ledger = await ctx.ledgers.of(job.name, job, ctx.journal.state);
  return ledger === null ? null : answersOfKeys(ledger.duck, run, keys);
}

/** What was asked is paid for: it is shown, if need be without the answers of the run before. */
function unlessAtFault(error: unknown): null {
  if (error instanceof DamagedFiles || machineTroubleOf(error) !== null) return null;
  throw error;
}

async function viewOf(
  ctx: PassContext,
  { loaded: { job } }: TryOrder,
  { account }: Provider,
  { rows, asked, price, ...money }: Tried,
): Promise<TryView> {
  const run = currentRun(ctx.journal.state, job.name)?.run ?? null;
  const keys = rows.map(({ key }) => key);
  const before = run === null ? null : await answersBefore(ctx, job, run, keys).catch(unlessAtFault);
  const served = asked.flatMap((each) => (each.kind === 'answered' ? (each.outcome.servedModel ?? []) : []));
  return {
    job: job.name,
    model: `${job.model.provider}/${job.model.name}`,
    endpoint: job.model.endpoint,
    servedModels: [...new Set(served)],
    emulator: account.emulator,
    rows: rows.map(({ key }, at) => triedRow(key, asked[at], before?.get(key) ?? null, price)),
    ...money,
    pricesOf: price.pricesOf,
    run,
  };
}
