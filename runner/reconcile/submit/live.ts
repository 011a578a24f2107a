import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { later, type WireId } from '../../ids.ts';
import type { BatchView, ProviderError } from '../../journal/batch.ts';
import type { JournalEvent, SubmitIntent } from '../../journal/events.ts';
import { JournalMoved } from '../../journal/journal.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { linesOfFile } from '../../lines.ts';
import { ASK_TIMEOUT_MS } from '../../provider/ask.ts';
import type { AskOrder, AskResult, Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { lostAskFrom } from '../lost/absence.ts';
import { keepLines } from '../raw.ts';
import { runFolder } from '../recipe.ts';

/** Requests that are under way together. A person waits, and no provider's limit is that low. */
const TOGETHER = 8;
const SLACK_MS = 60_000;

/**
 * Asks the rows of a shard through the synchronous API: announce → ask each once → keep the lines → receipt. From there
 * on it is a batch that has ended: its lines are settled, counted and applied like those of any other.
 * @param path the wire file
 */
export async function announceAndAsk(
  ctx: PassContext,
  run: RunState,
  provider: Provider,
  intent: SubmitIntent,
  path: string,
  work: string,
): Promise<void> {
  const rounds = Math.ceil(intent.count / TOGETHER);
  const notAfter = later(ctx.now(), rounds * ASK_TIMEOUT_MS + SLACK_MS);
  await ctx.journal.append([{ ...intent, via: 'live', notAfter }]);
  const results = await askAll(ctx, run, provider, path, notAfter);
  await appendAnyway(ctx, await receiptsOf(ctx, run, intent, results, work));
  const answered = results.filter(({ kind }) => kind === 'answered').length;
  const text = `asked ${intent.count} rows at once, at the synchronous price: ${answered} answered`;
  ctx.say({ level: answered === intent.count ? 'info' : 'warning', job: run.job, text });
}

/** What was paid for stands, whatever another writer has said of the intent meanwhile: that it is lost, by a clock that is ahead. */
async function appendAnyway(ctx: PassContext, receipts: readonly JournalEvent[]): Promise<void> {
  for (;;) {
    try {
      await ctx.journal.append(receipts);
      return;
    } catch (error) {
      if (!(error instanceof JournalMoved)) throw error;
    }
  }
}

async function askAll(
  ctx: PassContext,
  run: RunState,
  provider: Provider,
  path: string,
  notAfter: string,
): Promise<AskResult[]> {
  const orders = ordersIn(run, provider, path);
  const results: AskResult[] = [];
  for (let at = 0; at < orders.length; at += TOGETHER) {
    if (ctx.stopping() || ctx.now() >= notAfter) break;
    results.push(...(await Promise.all(orders.slice(at, at + TOGETHER).map((order) => provider.ask(order)))));
    // A server that is not there, or that nothing comes back from, will not do better for the next ones.
    if (!results.some(({ kind }) => kind === 'answered')) break;
  }
  return results;
}

/** The requests of a wire file, byte for byte as a batch would have them. */
function ordersIn(run: RunState, provider: Provider, path: string): AskOrder[] {
  const { endpoint, name: model } = run.spec.model;
  const { beforeId, afterId, afterBody } = provider.wireEnvelope(endpoint);
  return Array.from(linesOfFile(path), ({ bytes }) => {
    const line = bytes.toString('utf8');
    const idEnd = line.indexOf(afterId, beforeId.length);
    return {
      endpoint,
      model,
      wireId: line.slice(beforeId.length, idEnd) as WireId,
      body: line.slice(idEnd + afterId.length, line.length - afterBody.length),
    };
  });
}

/** Nothing was asked: the intent is refused like a create. Else what came is collected, and what did not come is missing. */
async function receiptsOf(
  ctx: PassContext,
  run: RunState,
  { intent, job, count }: SubmitIntent,
  results: readonly AskResult[],
  work: string,
): Promise<JournalEvent[]> {
  const error = refusalOf(results);
  if (error !== null) return [{ type: 'submit.refused', intent, job, error }];
  const lines = results.flatMap((result) => (result.kind === 'answered' ? [`${result.line}\n`] : []));
  const batch = endedView(ctx, intent, count, lines.length);
  const path = join(work, `${intent}-answers.jsonl`);
  await writeFile(path, lines.join(''));
  const remote = { kind: 'output', id: batch.id } as const;
  const files = lines.length === 0 ? [] : [await keepLines(ctx.store, remote, runFolder(run), path)];
  return [
    { type: 'submit.accepted', intent, job, batch, how: 'answered' },
    { type: 'raw.collected', intent, job, state: batch.state, files, gone: [], counts: batch.progress },
  ];
}

function refusalOf(results: readonly AskResult[]): ProviderError | null {
  const [first] = results;
  if (first === undefined) return STOPPED;
  return first.kind === 'not_sent' && results.every(({ kind }) => kind === 'not_sent') ? first.error : null;
}

const STOPPED: ProviderError = {
  status: null,
  code: null,
  message: 'a signal asked to stop before anything was asked',
  about: 'network',
  retryAfterMs: null,
};

/** What stands in a batch's place: nothing of it is at the provider. */
function endedView(ctx: PassContext, intent: SubmitIntent['intent'], total: number, done: number): BatchView {
  const now = ctx.now();
  return {
    id: `live-${intent}`,
    state: 'completed',
    providerState: 'answered at once',
    intent,
    inputFileId: null,
    outputFileId: null,
    errorFileId: null,
    createdAt: now,
    startedAt: now,
    finalizingAt: null,
    endedAt: now,
    expiresAt: null,
    progress: { total, done, failed: total - done },
    errors: [],
    serverNow: null,
  };
}

/**
 * Pure: rows that were asked at once and whose process is gone. No list will ever show them: they count as missing, and
 * what they may have cost stays reserved.
 */
export function lostAsks(intents: readonly IntentState[], now: string): JournalEvent[] {
  return intents
    .filter(({ via, phase, lost }) => via === 'live' && phase === 'intent' && lost === null)
    .filter((intent) => now >= lostAskFrom(intent))
    .map(({ intent, job }) => ({ type: 'batch.lost', intent, job, by: 'the time in which it could answer' }));
}
