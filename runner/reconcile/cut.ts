import type { OrdinalRange } from '../journal/events.ts';
import type { RunState } from '../journal/state.ts';
import type { SendableKind } from '../ledger/books.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { sendableRows } from '../ledger/send.ts';
import { costUsd } from '../manifest/price.ts';
import { type Shard, shardItems } from '../manifest/shard.ts';
import { ceilingTokens } from '../manifest/tokens.ts';
import type { Submit } from '../plan/action.ts';
import type { Provider } from '../provider/port.ts';

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
  canary: ['first'],
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
  const limit = action.shard === 'canary' ? action.items : null;
  const rows = await sendableRows(ledger.duck, run.run, KINDS[action.shard], limit);
  const shards = [...shardItems(rows, limitsOf(run, provider))].map((shard) => toSend(shard, run, null));
  if (action.shard !== 'retry') return shards.slice(0, room);
  // A person's retry of truncated items where no higher cap is set goes with the cap that it had.
  const cap = run.spec.retry.truncatedMaxTokens;
  const raised = await sendableRows(ledger.duck, run.run, ['raised_cap'], null);
  const raisedShards = [...shardItems(raised, limitsOf(run, provider))].map((shard) =>
    toSend(shard, run, cap),
  );
  return [...shards, ...raisedShards].slice(0, room);
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
    reserveUsd: run.price === null ? null : costUsd(ceiling, run.price),
    maxTokens,
  };
}
