import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { effect } from '../../effects.ts';
import { digestOfFile } from '../../files.ts';
import { type IntentId, newIntentId } from '../../ids.ts';
import type { SubmitIntent } from '../../journal/events.ts';
import type { RunState } from '../../journal/state.ts';
import { writeWire } from '../../ledger/send.ts';
import { linesOfFile } from '../../lines.ts';
import type { Provider, WireEnvelope } from '../../provider/port.ts';
import type { ShardToSend } from './cut.ts';

export interface WireOrder {
  readonly run: RunState;
  readonly provider: Pick<Provider, 'wireEnvelope' | 'withTokenCap'>;
  /** Local paths of the manifest's parts. */
  readonly parts: readonly string[];
  /** A folder for the files; it has room for three of them. */
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
    // Also where the caller wants no more: the folder must be free when this ends.
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
  { run, provider, parts }: WireOrder,
  shard: ShardToSend,
  intent: IntentId,
  path: string,
): Promise<void> {
  const { endpoint } = run.spec.model;
  const envelope = provider.wireEnvelope(endpoint);
  const { maxTokens } = shard;
  if (maxTokens === null) return writeWire(parts, shard.ordinals, intent, envelope, path);
  const frozen = `${path}.frozen`;
  await writeWire(parts, shard.ordinals, intent, envelope, frozen);
  const raised = (body: string) => provider.withTokenCap(body, endpoint, maxTokens);
  effect('file.write', path);
  await pipeline(changedLines(frozen, envelope, raised), createWriteStream(path));
  await rm(frozen);
}

/**
 * The lines of a file with other bodies, in blocks: a write for each would take longer than the line. By way of a file,
 * since rows that come out of DuckDB one by one take twice the memory that 200 MB of them have as lines.
 */
function* changedLines(
  path: string,
  { beforeId, afterId, afterBody }: WireEnvelope,
  change: (body: string) => string,
): Generator<string> {
  let block = '';
  for (const { bytes } of linesOfFile(path)) {
    const line = bytes.toString('utf8');
    const start = line.indexOf(afterId, beforeId.length) + afterId.length;
    block += `${line.slice(0, start)}${change(line.slice(start, line.length - afterBody.length))}${afterBody}\n`;
    if (block.length < BLOCK_CHARACTERS) continue;
    yield block;
    block = '';
  }
  yield block;
}

const BLOCK_CHARACTERS = 1 << 18;
