import { wireId } from '../../ids.ts';
import { intentsOf, jobState, runState } from '../../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../../journal/state.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type FrozenItem,
  type ItemStanding,
  itemsByKey,
  openElsewhere,
  outcomeAt,
  standingOf,
  type TriedItem,
  triesOf,
} from '../../ledger/trace.ts';
import { costUsd, type Price } from '../../manifest/price.ts';
import type { Usage } from '../../outcome/outcome.ts';
import type {
  TracedAttempt,
  TracedItem,
  TracedOutcome,
  TracedRequest,
  TracedVerdict,
  TraceView,
} from '../../report/trace-view.ts';
import type { SinkSpec } from '../../spec/job.ts';
import { priceOfIntent } from '../price-of-intent.ts';
import { tracedSinks } from './trace-sinks.ts';

/**
 * The life of a key over all runs of its job. `texts`: the ways in which the key may stand in a manifest.
 * Null where no run has it.
 */
export async function traceKey(
  ledger: Ledger,
  state: JournalState,
  sinks: readonly SinkSpec[],
  texts: readonly string[],
): Promise<TraceView | null> {
  const found = await itemsByKey(ledger.duck, texts);
  const [first] = found;
  if (first === undefined) return null;
  const items: TracedItem[] = [];
  for (const item of found) items.push(...(await traceItem(ledger, state, sinks, item, found)));
  return { job: ledger.job, key: first.key ?? `row ${first.ordinal + 1}`, items };
}

async function traceItem(
  { duck, job }: Ledger,
  state: JournalState,
  sinks: readonly SinkSpec[],
  item: FrozenItem,
  all: readonly FrozenItem[],
): Promise<TracedItem[]> {
  const run = runState(state, job, item.run);
  const standing = await standingOf(duck, item.run, item.ordinal);
  if (run === undefined || standing === null) return [];
  const verdict = await verdictOf(duck, item, standing);
  const answeredSeq = verdict?.answer == null ? null : settledSeq(state, run, verdict.from);
  const { problem } = item;
  return [
    {
      run: run.run,
      current: jobState(state, job).runs.at(-1) === run,
      emulator: run.emulator,
      account: run.account,
      model: `${run.spec.model.provider}/${run.spec.model.name}`,
      frozenAt: run.frozenAt,
      ordinal: item.ordinal,
      customId: item.customId,
      inputHash: item.inputHash,
      request: requestOf(item),
      rowJson: item.rowJson,
      setAside: problem === null ? null : { problem, detail: item.problemDetail },
      disposition: standing.disposition,
      attempts: attemptsOf(state, run, item, await triesOf(duck, item.run, item.ordinal)),
      verdict,
      waitsOn: verdict === null ? await openElsewhere(duck, item.run, item.ordinal) : null,
      sinks: answeredSeq === null ? [] : tracedSinks(state, run, sinks, answeredSeq, isInLaterRun(item, all)),
    },
  ];
}

function requestOf(item: FrozenItem): TracedRequest | null {
  if (item.requestHash === null || item.bodyJson === null) return null;
  return {
    hash: item.requestHash,
    bytes: item.bodyBytes,
    inputTokens: item.inputTokens,
    body: item.bodyJson,
  };
}

function isInLaterRun(item: FrozenItem, all: readonly FrozenItem[]) {
  return (run: number) => all.some((each) => each.run > item.run && each.run <= run && each.problem === null);
}

async function verdictOf(
  duck: Ledger['duck'],
  item: FrozenItem,
  standing: ItemStanding,
): Promise<TracedVerdict | null> {
  const { answerRun: run, answerShard: shard, answerOrdinal: ordinal } = standing;
  if (run === null || shard === null || ordinal === null) return null;
  const bought = await outcomeAt(duck, run, shard, ordinal);
  if (bought === null) return null;
  return {
    class: bought.class,
    cause: bought.cause,
    detail: bought.detail,
    answer: bought.answer,
    from: { own: run === item.run && ordinal === item.ordinal, run, shard, key: bought.key },
    servedModel: bought.model,
    responseId: bought.responseId,
  };
}

function settledSeq(state: JournalState, run: RunState, from: TracedVerdict['from']): number | null {
  const buyer = runState(state, run.job, from.run);
  const intent = buyer === undefined ? undefined : intentsOf(state, buyer)[from.shard - 1];
  return intent?.settled?.seq ?? null;
}

/** From the announcements, so that batches that came to nothing are told too; the ledger keeps no attempts of those. */
function attemptsOf(
  state: JournalState,
  run: RunState,
  item: FrozenItem,
  tries: readonly TriedItem[],
): TracedAttempt[] {
  return intentsOf(state, run)
    .filter(({ ordinals }) => ordinals.some(([first, last]) => item.ordinal >= first && item.ordinal <= last))
    .map((intent) => {
      const tried = tries.find((each) => each.shard === intent.shard);
      return {
        shard: intent.shard,
        kind: intent.kind,
        secondOf: intent.secondOf === null ? null : (state.intents[intent.secondOf]?.shard ?? null),
        intent: intent.intent,
        wireId: wireId(intent.secondOf ?? intent.intent, item.ordinal),
        announcedAt: intent.at,
        phase: intent.phase,
        batch: intent.batch === null ? null : { id: intent.batch.id, state: intent.batch.state },
        batchError: intent.error?.message ?? intent.batch?.errors[0]?.message ?? null,
        maxTokens: intent.maxTokens,
        raw: intent.collections.at(-1)?.files.map((file) => file.stored.name) ?? [],
        outcome: tried === undefined ? null : outcomeOf(tried, intent, priceOfIntent(intent, run)),
      };
    });
}

function outcomeOf(tried: TriedItem, intent: IntentState, price: Price | null): TracedOutcome | null {
  if (tried.class === null) return null;
  const usage = usageOf(tried);
  return {
    class: tried.class,
    firstClass: tried.firstClass,
    cause: tried.cause ?? '',
    detail: tried.detail,
    decision: tried.decision,
    usage,
    usd: usage === null || price === null ? null : costUsd(usage, price),
    servedModel: tried.model,
    responseId: tried.responseId,
    settledAt: intent.settled?.at ?? null,
  };
}

function usageOf(tried: TriedItem): Usage | null {
  const { inputTokens, outputTokens } = tried;
  if (inputTokens === null || outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    cachedTokens: tried.cachedTokens ?? 0,
    cacheWriteTokens: tried.cacheWriteTokens ?? 0,
    reasoningTokens: tried.reasoningTokens ?? 0,
  };
}
