import { epochMs } from '../../ids.ts';
import type { BatchView } from '../../journal/batch.ts';
import type { RawFile } from '../../journal/events.ts';
import type { IntentState } from '../../journal/state.ts';
import type { Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { DownloadFailed, keepRaw } from '../raw.ts';

/** What a look at a batch's files has brought. */
export interface Fetched {
  readonly files: readonly RawFile[];
  /** Named by the provider, and gone for good. */
  readonly lost: readonly RawFile['kind'][];
}

/** "No such file" is believed only this long after the batch's end: providers say it of files that they do have. */
const BELIEVED_AFTER_MS = 86_400_000;

/**
 * Both files of an ended batch, into the store.
 * @throws DownloadFailed where one could not be had whole, and may be had later
 */
export async function fetchFiles(
  ctx: PassContext,
  provider: Provider,
  intent: IntentState,
  batch: BatchView,
  folder: string,
  work: string,
): Promise<Fetched> {
  const files: RawFile[] = [];
  const lost: RawFile['kind'][] = [];
  const remotes = [
    { kind: 'output' as const, id: batch.outputFileId },
    { kind: 'error' as const, id: batch.errorFileId },
  ];
  for (const { kind, id } of remotes) {
    if (id === null) continue;
    const file = await keepRaw(provider, ctx.store, { kind, id }, folder, work).catch((error: unknown) => {
      if (error instanceof DownloadFailed && isLost(ctx, intent, batch, error)) return null;
      throw error;
    });
    if (file !== null) files.push(file);
    // What an earlier look has brought is in the store, and settles the batch without this one.
    else if (intent.collections.length === 0) lost.push(kind);
  }
  if (lost.length > 0) sayLost(ctx, intent, lost);
  return { files, lost };
}

function isLost(ctx: PassContext, intent: IntentState, batch: BatchView, error: DownloadFailed): boolean {
  if (!error.isGone) return false;
  const ended = epochMs(batch.endedAt ?? batch.createdAt);
  return intent.collections.length > 0 || epochMs(ctx.now()) - ended > BELIEVED_AFTER_MS;
}

function sayLost(ctx: PassContext, intent: IntentState, lost: readonly RawFile['kind'][]): void {
  const text = `batch ${intent.batch?.id}: the provider no longer has its ${lost.join(' and ')} file; what stood in it was paid for and is lost`;
  ctx.say({ level: 'error', job: intent.job, text });
}
