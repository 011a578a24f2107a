import type { JobName } from '../../ids.ts';
import type { IntentState, JournalState } from '../../journal/state.ts';
import { remoteFiles } from '../../plan/apply.ts';
import { isOpen } from '../../plan/spend.ts';
import { many } from '../../report/text.ts';
import type { Check } from '../../report/verify-view.ts';
import { proved, unproved } from './check.ts';

/** Pure: what the journal says is still under way, and since when. Not wrong, but not proved either. */
export function checkOpen(state: JournalState, job: JobName): Check {
  const of = { job, check: 'batches' };
  const own = Object.values(state.intents).filter((intent) => intent.job === job);
  const open = own.filter(isOpen).sort((a, b) => (a.at < b.at ? -1 : 1));
  if (open.length === 0) return proved(of, `${many(own.length, 'announcement')}, none of them open`);
  const ambiguous = open.filter((intent) => intent.phase === 'intent').length;
  const unsure = ambiguous === 0 ? '' : `; of ${ambiguous} it is not known whether the provider has them`;
  return unproved(of, 'open', {
    message: `${open.length} of ${many(own.length, 'announcement')} open, the oldest since ${open[0]?.at}${unsure}`,
    details: open.map(openText),
    next: 'the next pass looks at them',
  });
}

function openText(intent: IntentState): string {
  const place = `run ${intent.run} shard ${intent.shard}, ${intent.count} rows, announced ${intent.at} as ${intent.intent}`;
  if (intent.batch === null) return `${place}: no receipt; must not be created after ${intent.notAfter}`;
  return `${place}: batch ${intent.batch.id} is ${intent.batch.state}`;
}

/**
 * Pure: files that lie at the provider though their batch has come to its end, as far as the journal knows. They
 * expire there by themselves, but until then they are customer data in another house.
 */
export function checkRemoteFiles(state: JournalState, job: JobName): Check {
  const of = { job, check: 'remote-files' };
  const ended = Object.values(state.intents).filter((intent) => intent.job === job && !isOpen(intent));
  const left = ended.filter((intent) => !intent.discarded);
  const files = left.flatMap(remoteFiles).length;
  if (files === 0)
    return proved(of, `none are left of ${many(ended.length, 'ended batch', 'ended batches')}`);
  return unproved(of, 'open', {
    message: `${many(files, 'file')} of ${many(left.length, 'ended batch', 'ended batches')} not yet deleted at the provider`,
    details: left.map(
      (intent) =>
        `run ${intent.run} shard ${intent.shard}, ${intent.phase}${intent.settled === null ? '' : ` ${intent.settled.at}`}: ${remoteFiles(intent).join(', ')}`,
    ),
    next: 'the pass after their answers are applied deletes them',
  });
}
