import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { later } from '../../ids.ts';
import { intentsOf, runState } from '../../journal/fold.ts';
import type { RunState } from '../../journal/state.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { atOnce } from '../../manifest/price.ts';
import type { Rest, Submit } from '../../plan/action.ts';
import { gateShard } from '../../plan/gate.ts';
import { isOpen } from '../../plan/spend.ts';
import type { Provider, ProviderError } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { limitsOn } from '../limits.ts';
import { provenPath } from '../stored.ts';
import { type Announced, announceAndCreate } from './create.ts';
import { cutShards, type ShardToSend } from './cut.ts';
import { announceAndAsk } from './live.ts';
import { mostItems } from './shard-size.ts';
import { freeAbove, takenCounts, withUniqueCounts } from './unique-counts.ts';
import { type WireFile, wireFiles } from './wire.ts';

/**
 * Sends shards of a run: upload (may be repeated) → announce → create, each once → receipts. Gives the reason where
 * something held the rest back.
 */
export async function submitShards(ctx: PassContext, action: Submit, ledger: Ledger): Promise<Rest | null> {
  const run = currentSpec(ctx, action);
  if (run === null) return null;
  const provider = await ctx.provider(run.spec.model.provider);
  if (provider.account.id !== run.account) return foreignAccount(run, provider);
  const work = join(ctx.work, 'submit', `${run.job}-${run.run}`);
  await mkdir(work, { recursive: true });
  const send = isLive(action, run)
    ? sendAtOnce
    : provider.profile.foundBy === 'tag'
      ? sendTogether
      : sendInTurn;
  const held = await send({ ctx, action, run, provider, ledger, work });
  await rm(work, { recursive: true, force: true });
  return held;
}

interface Sending {
  readonly ctx: PassContext;
  readonly action: Submit;
  readonly run: RunState;
  readonly provider: Provider;
  readonly ledger: Ledger;
  readonly work: string;
}

/** Uploads all, announces all in one append, and has all receipts in another. */
async function sendTogether(sending: Sending): Promise<Rest | null> {
  const { ctx, run, provider } = sending;
  const { files, held } = await filesToSend(sending);
  const announced: Announced[] = [];
  let refused: Rest | null = null;
  for await (const file of files) {
    if (ctx.stopping()) break;
    const uploaded = await upload(sending, file);
    if (uploaded.kind === 'failed') {
      refused = notUploaded(sending, uploaded.error);
      break;
    }
    announced.push(announcement(sending, file, uploaded.value.fileId));
  }
  // A signal during the uploads: what is not announced is not owed, and the remote files expire by themselves.
  if (announced.length > 0 && !ctx.stopping()) await announceAndCreate(ctx, run, provider, announced);
  return refused ?? held;
}

/**
 * One shard after the other: where a lost batch can only be told by its look, two at once could not be told apart.
 * After one whose create was not answered nothing more is sent.
 */
async function sendInTurn(sending: Sending): Promise<Rest | null> {
  const { ctx, run, provider } = sending;
  const { files, held } = await filesToSend(sending);
  for await (const file of files) {
    if (ctx.stopping()) break;
    const uploaded = await upload(sending, file);
    if (uploaded.kind === 'failed') return notUploaded(sending, uploaded.error);
    const announced = announcement(sending, file, uploaded.value.fileId);
    await announceAndCreate(ctx, run, provider, [announced]);
    if (ctx.journal.state.intents[announced.intent.intent]?.phase !== 'live') break;
  }
  return held;
}

function isLive({ shard }: Submit, { spec }: RunState): boolean {
  return shard === 'canary' && spec.canary?.via === 'live';
}

/** A canary that shall be back within seconds: there is no upload and no batch. */
async function sendAtOnce(sending: Sending): Promise<Rest | null> {
  const { ctx, provider, work } = sending;
  const run = { ...sending.run, price: atOnce(sending.run.price) };
  const { files, held } = await filesToSend({ ...sending, run });
  for await (const file of files) {
    if (ctx.stopping()) break;
    const { intent } = announcement(sending, file, null);
    await announceAndAsk(ctx, run, provider, intent, file.path, work);
  }
  return held;
}

function foreignAccount(run: RunState, provider: Provider): Rest {
  return {
    job: run.job,
    kind: 'blocked',
    reason: 'ForeignAccount',
    message: `run ${run.run} belongs to account ${run.account}, the credentials here are for ${provider.account.id}`,
    next: 'give the credentials of that account, or edit the job to start a run on this one',
  };
}

/** The frozen run with today's operational fields, and shards no larger than the provider has taken. */
function currentSpec(ctx: PassContext, action: Submit): RunState | null {
  const run = runState(ctx.journal.state, action.job, action.run);
  const job = ctx.repository.jobs.find((each) => each.job.name === action.job)?.job;
  if (run === undefined || job === undefined) return null;
  const limits = [job.shard.maxItems, mostItems(ctx.journal.state, run)].filter((limit) => limit !== null);
  const maxItems = limits.length === 0 ? null : Math.min(...limits);
  return { ...run, spec: { ...job, shard: { ...job.shard, maxItems } } };
}

async function filesToSend({ ctx, action, run, provider, ledger, work }: Sending) {
  const open = intentsOf(ctx.journal.state, run).filter(isOpen).length;
  const room = run.spec.shard.maxInFlight - open;
  const shards = await shardsToSend(ctx, provider, action, (wanted) =>
    cutShards(ledger, run, wanted, provider, room),
  );
  const { allowed, held } = gated(ctx, run, shards);
  const parts = await Promise.all(run.manifest.parts.map((part) => provenPath(ctx.store, part)));
  return { files: wireFiles({ run, provider, parts, work }, allowed), held };
}

/** Where only its number of requests tells a lost batch from others, no two open ones have the same. */
async function shardsToSend(
  ctx: PassContext,
  provider: Provider,
  action: Submit,
  cut: (action: Submit) => Promise<readonly ShardToSend[]>,
): Promise<readonly ShardToSend[]> {
  if (provider.profile.foundBy === 'tag') return cut(action);
  const taken = await takenCounts(ctx, provider);
  if (action.shard !== 'canary') return withUniqueCounts(await cut(action), taken);
  return cut({ ...action, items: freeAbove(action.items, taken) });
}

/** The shards that the budget allows together, and why not the next. */
function gated(
  ctx: PassContext,
  run: RunState,
  shards: readonly ShardToSend[],
): { readonly allowed: readonly ShardToSend[]; readonly held: Rest | null } {
  let reserved = 0;
  for (const [at, { reserveUsd }] of shards.entries()) {
    const verdict = gateShard(
      reserveUsd === null ? null : reserved + reserveUsd,
      run,
      limitsOn(ctx, run.spec, run.emulator),
    );
    if (verdict.kind === 'blocked')
      return { allowed: shards.slice(0, at), held: { job: run.job, ...verdict } };
    reserved += reserveUsd ?? 0;
  }
  return { allowed: shards, held: null };
}

function upload(
  { run, provider }: Sending,
  { intent, path, wire }: WireFile,
): ReturnType<Provider['upload']> {
  return provider.upload({
    intent,
    path,
    bytes: wire.bytes,
    name: `${run.job}-run${run.run}-${intent}.jsonl`,
  });
}

function announcement(
  { ctx, action, run }: Sending,
  { shard, intent, path, wire }: WireFile,
  fileId: string | null,
): Announced {
  return {
    intent: {
      type: 'submit.intent',
      intent,
      job: run.job,
      run: run.run,
      kind: action.shard,
      ordinals: shard.ordinals,
      count: shard.count,
      account: run.account,
      fileId,
      wire,
      reservedUsd: shard.reserveUsd,
      notAfter: ctx.now(),
      maxTokens: shard.maxTokens,
    },
    input: { path, bytes: wire.bytes },
  };
}

/** Nothing was announced, so nothing is owed: the next pass uploads again. */
function notUploaded({ ctx, run }: Sending, error: ProviderError): Rest {
  const account = error.about === 'account';
  return {
    job: run.job,
    kind: account ? 'blocked' : 'waiting',
    reason: account ? 'AccountPaused' : 'UploadFailed',
    message: `a shard could not be uploaded: ${error.message}`,
    next: account ? "look at the key, and at the provider's billing and limits pages" : null,
    ...(account ? { until: later(ctx.now(), ctx.pacing.accountMs) } : {}),
  };
}
