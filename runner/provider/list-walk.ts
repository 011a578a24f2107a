import type { Instant, IntentId } from '../ids.ts';
import type { BatchView } from '../journal/batch.ts';
import { UnreadableAnswer } from './call-errors.ts';
import { objectOf } from './fields.ts';
import type { Call, FindResult } from './port.ts';

/** One page of the list. `last` is the cursor of the next; `more` null where the server does not say. */
export interface BatchPage {
  readonly batches: readonly BatchView[];
  readonly last: string | null;
  readonly more: boolean | null;
}

/**
 * A page as OpenAI and Anthropic write one, whose cursor is the last batch's id.
 * @throws UnreadableAnswer: an unreadable page must not pass for the end of the list, as the SDKs' pagers let it
 */
export function pageOf(value: unknown, viewOf: (batch: unknown) => BatchView): BatchPage {
  const page = objectOf(value);
  if (!Array.isArray(page.data)) throw new UnreadableAnswer('it is no list of batches');
  const batches = page.data.map(viewOf);
  const more = typeof page.has_more === 'boolean' ? page.has_more : null;
  return { batches, last: batches.at(-1)?.id ?? null, more };
}

/** One page of the list, newest first; `after` is the last id of the page before, null for the first. */
export type ListPage = (
  after: string | null,
) => Promise<Call<{ readonly page: BatchPage; readonly serverNow: Instant | null }>>;

/** A hundred thousand batches: whoever made more since an intent was announced has another problem. */
const MOST_PAGES = 1000;

/**
 * Walks the list of batches back to `since`. The answer "not there" is worth money, so a walk only counts as complete
 * where there is no doubt: the list ended, or it came newest first and is now older than `since`. A cursor that
 * repeats, or an empty page that promises more, leaves doubt.
 * @param since null where the order of the list is not known: then only its end proves anything
 */
export async function searchList(
  listPage: ListPage,
  intents: ReadonlySet<IntentId>,
  since: Instant | null,
  mostPages: number = MOST_PAGES,
): Promise<Call<FindResult>> {
  const walk = newWalk(intents, since);
  let serverNow: Instant | null = null;
  let after: string | null = null;
  for (let pages = 0; pages < Math.min(mostPages, MOST_PAGES); pages += 1) {
    const call = await listPage(after);
    if (call.kind === 'failed') return call;
    const { page } = call.value;
    serverNow = call.value.serverNow;
    const verdict = walk.take(page);
    if (verdict !== 'more') return found(walk, verdict === 'complete', serverNow);
    after = page.last;
  }
  return found(walk, false, serverNow);
}

function found(walk: Walk, complete: boolean, serverNow: Instant | null): Call<FindResult> {
  return {
    kind: 'ok',
    value: { found: [...walk.found.values()], untagged: [...walk.untagged.values()], complete, serverNow },
  };
}

interface Walk {
  readonly found: ReadonlyMap<string, BatchView>;
  readonly untagged: ReadonlyMap<string, BatchView>;
  take(page: BatchPage): 'more' | 'complete' | 'doubtful';
}

function newWalk(intents: ReadonlySet<IntentId>, since: Instant | null): Walk {
  const found = new Map<string, BatchView>();
  const untagged = new Map<string, BatchView>();
  const cursors = new Set<string>();
  let oldest: Instant | null = null;
  // Nobody promises the order. Where it is another, only the list's end proves anything.
  let newestFirst = true;

  function note(batch: BatchView): void {
    if (batch.intent === null) untagged.set(batch.id, batch);
    else if (intents.has(batch.intent)) found.set(batch.id, batch);
    if (oldest !== null && batch.createdAt > oldest) newestFirst = false;
    oldest = batch.createdAt;
  }

  return {
    found,
    untagged,
    take(page) {
      for (const batch of page.batches) note(batch);
      if (page.more === false) return 'complete';
      if (page.last === null) return page.more === null ? 'complete' : 'doubtful';
      if (newestFirst && oldest !== null && since !== null && oldest < since) return 'complete';
      if (cursors.has(page.last)) return 'doubtful';
      cursors.add(page.last);
      return 'more';
    },
  };
}
