import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ordinalOf } from '../../ids.ts';
import type { BatchView } from '../../journal/batch.ts';
import type { IntentState, JournalState } from '../../journal/state.ts';
import { linesOfFile, textOf } from '../../lines.ts';
import type { Provider } from '../../provider/port.ts';
import type { Endpoint } from '../../spec/job.ts';
import type { PassContext } from '../context.ts';

/** Whose results a batch has. `later`: they could not be had this time, which says nothing. */
export type Owner =
  | { readonly kind: 'ours'; readonly intent: IntentState }
  | { readonly kind: 'foreign' | 'unreadable' | 'later' };

/**
 * Reads the ids in a batch's results. One line proves whose it is: an id of ours begins with an intent that nobody else
 * can know. Nothing of a foreign batch is kept.
 */
export async function ownerOf(
  ctx: PassContext,
  provider: Provider,
  batch: BatchView,
  endpoint: Endpoint,
): Promise<Owner> {
  if (batch.outputFileId === null) return { kind: 'unreadable' };
  const work = join(ctx.work, 'candidates');
  const path = join(work, 'results.jsonl');
  await mkdir(work, { recursive: true });
  try {
    const got = await provider.download(batch.outputFileId, path);
    if (got.kind === 'failed') return { kind: got.error.status === 404 ? 'unreadable' : 'later' };
    return ownerIn(path, (line) => provider.decode(endpoint, line).wireId, ctx.journal.state);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** By the first line that has an id: nobody puts another's requests into a batch of his own. */
function ownerIn(path: string, idOf: (line: string) => string | null, state: JournalState): Owner {
  for (const line of linesOfFile(path)) {
    const text = textOf(line);
    const id = text === null ? null : idOf(text);
    if (id === null) continue;
    const intent = state.intents[id.slice(0, INTENT_LENGTH) as IntentState['intent']];
    const isOurs = intent !== undefined && ordinalOf(intent.intent, id) !== null;
    return isOurs ? { kind: 'ours', intent } : { kind: 'foreign' };
  }
  return { kind: 'unreadable' };
}

const INTENT_LENGTH = 16;
