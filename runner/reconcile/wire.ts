import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOfFile, writeSynced } from '../files.ts';
import { type IntentId, newIntentId, wireId } from '../ids.ts';
import type { SubmitIntent } from '../journal/events.ts';
import type { RunState } from '../journal/state.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { bodiesOf, writeWire } from '../ledger/send.ts';
import type { Provider } from '../provider/port.ts';
import type { ShardToSend } from './cut.ts';

export interface WireOrder {
  readonly run: RunState;
  readonly provider: Provider;
  readonly ledger: Ledger;
  /** Local paths of the manifest's parts. */
  readonly parts: readonly string[];
  /** A folder for the files; it has room for two of them. */
  readonly work: string;
}

/** A shard as the provider will read it. */
export interface WireFile {
  readonly shard: ShardToSend;
  readonly intent: IntentId;
  readonly path: string;
  readonly wire: SubmitIntent['wire'];
}

/**
 * The files of the shards, in order; each is there until the next is asked for. The next one is built while the caller
 * uploads this one: DuckDB's thread has nothing to do meanwhile.
 */
export async function* wireFiles(
  order: WireOrder,
  shards: readonly ShardToSend[],
): AsyncGenerator<WireFile, void> {
  const building: Promise<WireFile>[] = [];
  const start = (shard: ShardToSend | undefined) => {
    if (shard === undefined) return;
    const file = build(order, shard);
    // Looked at when its turn comes; without this Node would end the process before.
    file.catch(() => undefined);
    building.push(file);
  };
  try {
    start(shards[0]);
    for (const at of shards.keys()) {
      const file = (await building.shift()) as WireFile;
      start(shards[at + 1]);
      yield file;
      await rm(file.path, { force: true });
    }
  } finally {
    // Also where the caller wants no more: the folder and the ledger must be free when this ends.
    await Promise.allSettled(building);
  }
}

async function build(order: WireOrder, shard: ShardToSend): Promise<WireFile> {
  const intent = newIntentId();
  const path = join(order.work, `${intent}.jsonl`);
  await writeLines(order, shard, intent, path);
  return { shard, intent, path, wire: await digestOfFile(path) };
}

async function writeLines(
  { run, provider, ledger, parts }: WireOrder,
  shard: ShardToSend,
  intent: IntentId,
  path: string,
): Promise<void> {
  const { endpoint } = run.spec.model;
  const envelope = provider.wireEnvelope(endpoint);
  if (shard.maxTokens === null) return writeWire(parts, shard.ordinals, intent, envelope, path);
  const cap = shard.maxTokens;
  const bodies = await bodiesOf(ledger.duck, run.run, shard.ordinals);
  const lines = bodies.map(
    ({ ordinal, body }) =>
      `${envelope.beforeId}${wireId(intent, ordinal)}${envelope.afterId}${provider.withTokenCap(body, endpoint, cap)}${envelope.afterBody}\n`,
  );
  return writeSynced(path, lines.join(''));
}
