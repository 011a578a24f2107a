import type { IntentId } from '../ids.ts';
import type { JournalEvent } from './events.ts';

/**
 * Pure: whether news that another writer appended may make an event of ours untrue or unwise. Facts about a batch
 * (receipts, looks, collected bytes, outcomes) stand whatever else happens to the job; plans do not.
 */
export function conflicts(ours: JournalEvent, news: JournalEvent): boolean {
  // One budget may stand over two jobs: an announcement of spend is judged again after any other.
  if (isSpend(ours) && isSpend(news)) return true;
  if (news.type === 'job.moved' || ours.type === 'job.moved') return isAboutMove(ours, news);
  if (ours.job !== news.job) return false;
  switch (ours.type) {
    case 'submit.accepted':
    case 'submit.refused':
    case 'submit.absent':
    case 'listing.searched':
    case 'second.found':
    case 'seconds.searched':
    case 'batch.unseen':
    case 'batch.lost':
    case 'candidates.seen':
    case 'batch.observed':
    case 'raw.collected':
    case 'download.failed':
    case 'results.lost':
    case 'rows.released':
    case 'remote.discarded':
      return isOf(news, ours);
    case 'try.answered':
      return false;
    case 'outcomes.revised':
      // Read with a schema that another one may have taken the place of.
      return CHECKS.has(news.type) || isOf(news, ours) || (ours.contested === true && isReading(news));
    case 'cancel.asked':
      // Perhaps it was to end only because the job was gone.
      return news.type === 'job.returned' || isOf(news, ours);
    case 'job.withdrawn':
    case 'job.returned':
      return news.type === 'job.withdrawn' || news.type === 'job.returned' || news.type === 'run.frozen';
    case 'check.changed':
      return CHECKS.has(news.type);
    case 'outcomes.settled':
      // Which of two batches was first to answer an item is told anew.
      return isOf(news, ours) || (ours.contested === true && isReading(news));
    case 'applied':
      return news.type === 'applied';
    case 'generation.observed':
    case 'run.frozen':
    case 'submit.intent':
    case 'try.intent':
    case 'retry.asked':
    case 'run.requested':
    case 'run.dropped':
      return true;
    default:
      return ours satisfies never;
  }
}

function isSpend({ type }: JournalEvent): boolean {
  return type === 'submit.intent' || type === 'try.intent';
}

const CHECKS: ReadonlySet<JournalEvent['type']> = new Set(['check.changed', 'run.frozen']);

function isReading({ type }: JournalEvent): boolean {
  return type === 'outcomes.settled' || type === 'outcomes.revised';
}

function isOf(news: JournalEvent, { intent }: { readonly intent: IntentId }): boolean {
  return 'intent' in news && news.intent === intent;
}

/**
 * A plan for either name is void once the job has moved; facts about a batch go with its intent, and the answers of a try
 * with its announcement, whatever the name.
 */
function isAboutMove(ours: JournalEvent, news: JournalEvent): boolean {
  if (ours.type === 'try.answered') return false;
  if ('intent' in ours && ours.type !== 'submit.intent') return false;
  const names = (event: JournalEvent) => (event.type === 'job.moved' ? [event.job, event.from] : [event.job]);
  return names(ours).some((name) => names(news).includes(name));
}
