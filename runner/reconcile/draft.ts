import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccountId } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import { freshRequests, goneRows } from '../ledger/fresh.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { draftManifest } from '../manifest/freeze.ts';
import type { DraftManifest } from '../manifest/manifest.ts';
import { type Price, priceOf } from '../manifest/price.ts';
import { digestSources, type SourceDigests } from '../manifest/source.ts';
import type { NewRun, NewRunSize } from '../plan/action.ts';
import { approvedParts, type ToApprove } from '../plan/approval.ts';
import { gateNewRun, toApprove, type Verdict } from '../plan/gate.ts';
import { bytesOf, expectedAnswerBytes } from '../plan/stored.ts';
import type { Account, Codec, Profile } from '../provider/port.ts';
import type { CanarySpec, Job } from '../spec/job.ts';
import { endpointFacts } from '../spec/profiles.ts';
import type { PassContext } from './context.ts';
import { limitsOn } from './limits.ts';

/** A run that could be frozen: its manifest in a work folder, its size, and what the gate says of it. */
export interface Draft {
  readonly action: NewRun;
  readonly manifest: DraftManifest;
  readonly digests: SourceDigests;
  readonly price: Price | null;
  readonly size: NewRunSize;
  readonly verdict: Verdict;
  readonly toApprove: ToApprove;
  readonly account: Account;
  readonly profile: Profile;
}

/**
 * Reads the source once, renders and sizes; puts nothing anywhere.
 * @throws UserError where rows or prompts cannot be used.
 */
export async function draftRun(ctx: PassContext, action: NewRun, codec: Codec): Promise<Draft> {
  const { job, schema } = action.loaded;
  const work = join(ctx.work, 'draft', job.name);
  await mkdir(work, { recursive: true });
  const digests = await digestSources(job.input, sourceRoots(ctx));
  const price = await priceOf({
    model: job.model,
    settings: ctx.settings,
    batchFactor: codec.profile.batchFactor,
    now: ctx.now(),
  });
  const ledger = await ctx.ledgers.of(job.name, job, ctx.journal.state);
  const manifest = await draftManifest(action.loaded, {
    root: ctx.root,
    work,
    encode: codec.encoder(job.model, job.output, schema?.sent ?? null),
    endpoint: job.model.endpoint,
    maxRequestBytes: codec.profile.maxBytesPerBatch,
    maxInputTokens: endpointFacts(codec.profile.kind, job.model.endpoint)?.maxInputTokens ?? null,
    price,
    settings: ctx.settings,
    expectedOutputTokens: ledger === null ? null : await meanOutputTokens(ledger),
    digests,
  });
  const before = currentRun(ctx.journal.state, job.name);
  const gone = await goneSince(before, job, ledger, manifest);
  const sent = await sizeOf(manifest, ledger, codec.account.id);
  const size = { ...withLiveCanary(sent, job.canary, price), gone };
  const input = limitsOn(ctx, job, codec.account.emulator);
  const version = {
    generation: action.generation,
    defines: approvedParts(action.loaded.defines, digests.digest, codec.account.id),
  };
  const verdict = gateNewRun(size, input, version);
  return {
    action,
    manifest,
    digests,
    price,
    size,
    verdict,
    toApprove: toApprove(size, input, version),
    account: codec.account,
    profile: codec.profile,
  };
}

export function sourceRoots(ctx: PassContext) {
  return { root: ctx.root, allowedRoots: ctx.settings.policy.allowedRoots };
}

/** Over the job's accepted answers; null where it has none. */
async function meanOutputTokens(ledger: Ledger): Promise<number | null> {
  const [row] = await ledger.duck.rows<{ mean: number | null }>(
    "SELECT avg(output_tokens)::DOUBLE AS mean FROM outcome WHERE class = 'ok'",
  );
  return row?.mean ?? null;
}

/** With other key columns the rows of the run before are other things, and none of them is looked for. */
async function goneSince(
  before: RunState | undefined,
  job: Job,
  ledger: Ledger | null,
  manifest: DraftManifest,
): Promise<NewRunSize['gone']> {
  const isComparable = JSON.stringify(before?.spec.input.key) === JSON.stringify(job.input.key);
  if (before === undefined || ledger === null || !isComparable) return { rows: 0, of: 0 };
  return goneRows(
    ledger,
    before.run,
    manifest.parts.map((part) => part.path),
  );
}

/** Requests that have an answer, an end, or a live attempt are not bought again; equal requests are bought once. */
async function sizeOf(
  manifest: DraftManifest,
  ledger: Ledger | null,
  account: AccountId,
): Promise<Omit<NewRunSize, 'gone'>> {
  const { setAside, items, estimate } = manifest;
  const paths = manifest.parts.map((part) => part.path);
  const requests = await freshRequests(ledger, paths, account);
  const sent = scaled(estimate, requests);
  return {
    requests,
    reused: items - setAside - requests,
    setAside,
    fileBytes: bytesOf(manifest.parts) + expectedAnswerBytes(requests, sent.outputTokens),
    estimate: sent,
  };
}

/** Whether or not it turns out to be needed: a canary that is asked at once has the synchronous price. */
function withLiveCanary<Size extends Omit<NewRunSize, 'gone'>>(
  size: Size,
  canary: CanarySpec | null,
  price: Price | null,
): Size {
  const { estimate, requests } = size;
  if (canary?.via !== 'live' || !price?.batchFactor || requests === 0) return size;
  const share = Math.min(canary.items, requests) / requests;
  const dearer = (usd: number | null) =>
    usd === null ? null : usd * (1 + share * (1 / price.batchFactor - 1));
  const money = { usd: dearer(estimate.usd), ceilingUsd: dearer(estimate.ceilingUsd) };
  return { ...size, estimate: { ...estimate, ...money } };
}

/** The money of the requests that are really sent. */
function scaled(estimate: DraftManifest['estimate'], requests: number): DraftManifest['estimate'] {
  const share = estimate.requests === 0 ? 0 : requests / estimate.requests;
  // No request costs nothing, whatever the price.
  const part = (value: number | null) => (share === 0 ? 0 : value === null ? null : value * share);
  return {
    ...estimate,
    requests,
    inputTokens: Math.round(estimate.inputTokens * share),
    outputTokens: Math.round(estimate.outputTokens * share),
    outputTokensCap: Math.round(estimate.outputTokensCap * share),
    usd: part(estimate.usd),
    ceilingUsd: part(estimate.ceilingUsd),
  };
}
