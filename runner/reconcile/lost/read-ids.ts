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
    const ids = idsIn(path, (line) => provider.decode(endpoint, line).wireId);
    return judgeOwner(ids, batch, ctx.journal.state);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The id of each line; null where it has none, or is no line of results. */
function* idsIn(path: string, idOf: (line: string) => string | null): Generator<string | null> {
  for (const line of linesOfFile(path)) {
    const text = textOf(line);
    yield text === null ? null : idOf(text);
  }
}

/**
 * One id of ours makes it ours: nobody puts another's requests into a batch of his own. It is another's only where every
 * line says so, and there are as many lines as it counts: an error page, or a file that was cut, says nothing.
 */
function judgeOwner(ids: Iterable<string | null>, { progress }: BatchView, state: JournalState): Owner {
  let [named, nameless] = [0, 0];
  for (const id of ids) {
    if (id === null) {
      nameless += 1;
      continue;
    }
    named += 1;
    const intent = state.intents[id.slice(0, INTENT_LENGTH) as IntentState['intent']];
    if (intent !== undefined && ordinalOf(intent.intent, id) !== null) return { kind: 'ours', intent };
  }
  const isWhole = nameless === 0 && (progress === null || named >= progress.total);
  if (named === 0) return { kind: 'unreadable' };
  return { kind: isWhole ? 'foreign' : 'later' };
}

const INTENT_LENGTH = 16;
