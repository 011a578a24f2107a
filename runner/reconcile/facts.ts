import type { JournalEvent } from '../journal/events.ts';
import { JournalMoved } from '../journal/journal.ts';
import type { PassContext } from './context.ts';

/**
 * Appends what was seen of several batches: together where nobody was faster, else each by itself, so that one that
 * another writer has seen too does not cost us the others.
 */
export async function appendFacts(ctx: PassContext, facts: readonly JournalEvent[]): Promise<void> {
  if (facts.length === 0) return;
  try {
    await ctx.journal.append(facts);
  } catch (error) {
    if (!(error instanceof JournalMoved)) throw error;
    for (const fact of facts) await appendUnlessKnown(ctx, fact);
  }
}

async function appendUnlessKnown(ctx: PassContext, fact: JournalEvent): Promise<void> {
  try {
    await ctx.journal.append([fact]);
  } catch (error) {
    // Another writer has just said the same of this batch.
    if (!(error instanceof JournalMoved)) throw error;
  }
}
