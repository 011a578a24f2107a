import { formatMinute, later } from '../../ids.ts';
import type { IntentState } from '../../journal/state.ts';
import { judgeAbsent } from '../../outcome/absent-rows.ts';
import { explainDoubt } from '../../outcome/explain-doubt.ts';
import { nextDownload } from '../../plan/downloads.ts';
import type { Profile } from '../../spec/profiles.ts';
import type { PassContext } from '../context.ts';
import type { Settled } from './settle.ts';

/** Told loudly: these rows may have been paid for, nothing is sent for them, and the provider's files stay. */
export function sayUnreadable(
  ctx: PassContext,
  intent: IntentState,
  profile: Profile,
  { summary }: Settled,
): void {
  const rows = summary.counts.unreadable ?? 0;
  if (rows === 0) return;
  const { doubt } = judgeAbsent(intent, profile.kind, summary.lines, ctx.pacing.missingMs);
  const why = doubt === null ? 'lines under their ids cannot be understood' : explainDoubt(doubt, intent);
  const settled = { at: ctx.now(), summary } as NonNullable<IntentState['settled']>;
  const next =
    nextDownload({ ...intent, settled }, profile, ctx.pacing.missingMs) ??
    later(ctx.now(), ctx.pacing.missingMs);
  const text = `batch ${intent.batch?.id}: ${rows} of ${intent.count} rows have no readable result: ${why}. Nothing is sent for them; the results are downloaded again after ${formatMinute(next)}`;
  ctx.say({ level: 'warning', job: intent.job, text });
}
