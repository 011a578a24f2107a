import type { OrdinalRange } from '../../journal/events.ts';
import type { RunState } from '../../journal/state.ts';
import type { SendableKind } from '../../ledger/books.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { sendableRows } from '../../ledger/send.ts';
import { ceilingUsd } from '../../manifest/price.ts';
import { type Shard, shardItems } from '../../manifest/shard.ts';
import { ceilingTokens } from '../../manifest/tokens.ts';
import type { Submit } from '../../plan/action.ts';
import type { Provider } from '../../provider/port.ts';

/** A shard with what it may cost at most. */
export interface ShardToSend {
  readonly ordinals: readonly OrdinalRange[];
  readonly count: number;
  /** USD at the batch price; null where the price is unknown. */
  readonly reserveUsd: number | null;
  /** Another token cap than the frozen one; null for all but raised retries. */
  readonly maxTokens: number | null;
}

const KINDS: Readonly<Record<Submit['shard'], readonly SendableKind[]>> = {
  canary: ['first', 'stalled', 'retry'],
  first: ['first', 'stalled'],
  retry: ['retry'],
};

/** The next shards of a run, at most `room` of them, in the order of the manifest. */
export async function cutShards(
  ledger: Ledger,
  run: RunState,
  action: Submit,
  provider: Provider,
  room: number,
): Promise<ShardToSend[]> {
  const cut = (kinds: readonly SendableKind[], most: number, cap: number | null) =>
    cutRows(ledger, run, provider, {
      kinds,
      most,
      cap,
      items: action.shard === 'canary' || action.probe ? action.items : null,
    });
  const most = action.probe ? Math.min(room, 1) : room;
  const shards = await cut(KINDS[action.shard], most, null);
  if (action.shard !== 'retry') return shards;
  // A person's retry of truncated items where no higher cap is set goes with the cap that it had.
  const raised = await cut(['raised_cap'], most - shards.length, run.spec.retry.truncatedMaxTokens);
  return [...shards, ...raised];
}

interface Cut {
  readonly kinds: readonly SendableKind[];
  /** At most so many shards. */
  readonly most: number;
  /** At most so many items; null: no limit of its own. */
  readonly items: number | null;
  readonly cap: number | null;
}

async function cutRows(ledger: Ledger, run: RunState, provider: Provider, cut: Cut): Promise<ShardToSend[]> {
  if (cut.most <= 0) return [];
  const limits = limitsOf(run, provider);
  // No shard holds more, so that a run of a million rows need not be looked through for the next ten shards.
  const perShard = Math.min(limits.maxRequests, limits.maxItems ?? limits.maxRequests);
  const limit = Math.min(cut.items ?? Number.MAX_SAFE_INTEGER, cut.most * perShard);
  const rows = await sendableRows(ledger.duck, run.run, cut.kinds, limit);
  return shardItems(rows, limits)
    .take(cut.most)
    .map((shard) => toSend(shard, run, cut.cap))
    .toArray();
}

/** The longest wire id: intent, underscore, and a million million items in base 36. */
const ID_BYTES = 16 + 1 + 8;

function limitsOf(run: RunState, provider: Provider) {
  const { beforeId, afterId, afterBody } = provider.wireEnvelope(run.spec.model.endpoint);
  return {
    maxRequests: provider.profile.maxRequestsPerBatch,
    maxBytes: provider.profile.maxBytesPerBatch,
    maxTokens: null,
    maxItems: run.spec.shard.maxItems,
    envelopeBytes: Buffer.byteLength(beforeId + afterId + afterBody) + ID_BYTES + 1,
  };
}

function toSend(shard: Shard, run: RunState, maxTokens: number | null): ShardToSend {
  const cap = maxTokens ?? run.spec.output.maxTokens;
  const ceiling = { inputTokens: ceilingTokens(shard.tokens), outputTokens: shard.count * cap };
  return {
    ordinals: shard.ordinals,
    count: shard.count,
    reserveUsd: run.price === null ? null : ceilingUsd(ceiling, run.price),
    maxTokens,
  };
}
