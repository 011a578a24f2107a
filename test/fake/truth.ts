import type { ChargeEntry, DeleteEntry } from './book.ts';
import type { Json } from './json.ts';
import type { Part, Usage } from './model.ts';
import type { World } from './world.ts';

/** The same request, charged more than once. */
export type BoughtTwice = { hash: string; charges: ChargeEntry[] };

/** A line as the provider truly wrote it. */
export type TrueLine = { part: Part; key: string; value: Json; text: string };

/** What a test asks of the provider's own knowledge. */
export type Truth = {
  /** Requests of one meaning that were charged more than once, with all their charges. */
  boughtTwice(): BoughtTwice[];
  /** The result lines of a batch that has ended; throws for an id that no batch has or had. */
  resultsOf(batchId: string): TrueLine[];
  /** Deletions of results whose whole true content had never left for the client. */
  discardedUnread(): DeleteEntry[];
  /** What was charged in all, or for a batch: how many requests, and their tokens. */
  totals(batchId?: string): Usage & { requests: number };
};

/** Answers from the books of a world. */
export function openTruth(world: World): Truth {
  return {
    boughtTwice: () => findTwice(world),
    resultsOf: (batchId) => readResults(world, batchId),
    discardedUnread: () => world.book.deleted.filter(({ deliveredWhole }) => !deliveredWhole),
    totals: (batchId) => addUp(world, batchId),
  };
}

function findTwice({ book }: World): BoughtTwice[] {
  const byHash = Map.groupBy(
    book.charged.filter(({ billed }) => billed),
    ({ hash }) => hash,
  );
  return [...byHash]
    .filter(([, charges]) => charges.length > 1)
    .map(([hash, charges]) => ({ hash, charges }));
}

function readResults(world: World, batchId: string): TrueLine[] {
  const batch = world.batches.find(({ id }) => id === batchId);
  if (batch === undefined) throw new Error(`the fake never had a batch ${batchId}`);
  const lines = (batch.results ?? []).flatMap((file) => file.lines);
  return lines.map(({ part, key, value }) => ({ part, key, value, text: JSON.stringify(value) }));
}

function addUp({ book }: World, batchId: string | undefined): Usage & { requests: number } {
  const entries = book.charged.filter(
    ({ billed, batch }) => billed && (batchId === undefined || batch === batchId),
  );
  return {
    requests: entries.length,
    input: entries.reduce((sum, { usage }) => sum + usage.input, 0),
    output: entries.reduce((sum, { usage }) => sum + usage.output, 0),
  };
}
