import type { OrdinalRange, RowsReleased } from '../../journal/events.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { releasedBefore } from '../../ledger/answered.ts';
import { type AbsenceDoubt, looksAgree } from '../../outcome/absence.ts';
import { judgeAbsent } from '../../outcome/absent-rows.ts';
import type { ProviderKind } from '../../spec/profiles.ts';
import type { PassContext } from '../context.ts';
import type { Settled } from './settle.ts';

/**
 * Rows without a line that may go again by themselves, once: so few that a person need not be asked, in a batch of which
 * all else was read, at two looks that brought the same bytes. Their first try may have been paid for all the same.
 */
export async function releaseRows(
  ctx: PassContext,
  intent: IntentState,
  run: RunState,
  kind: ProviderKind,
  settled: Settled,
): Promise<RowsReleased[]> {
  if (!mayRelease(ctx, intent, run, kind, settled)) return [];
  const job = ctx.repository.jobs.find((each) => each.job.name === intent.job)?.job ?? run.spec;
  const ledger = await ctx.ledgers.of(intent.job, job, ctx.journal.state);
  if (ledger === null) return [];
  const before = await releasedBefore(ledger.duck, intent);
  const ordinals = settled.absent.first.filter((ordinal) => !before.has(ordinal));
  if (ordinals.length === 0) return [];
  const rows = ordinals.length;
  const text = `batch ${intent.batch?.id}: ${rows} of its ${intent.count} rows are in none of its results, all else was read; they go again, once (\`retry.unreadable.share\`)`;
  ctx.say({ level: 'warning', job: intent.job, text });
  return [
    { type: 'rows.released', intent: intent.intent, job: intent.job, ordinals: rangesOf(ordinals), rows },
  ];
}

function mayRelease(
  ctx: PassContext,
  intent: IntentState,
  run: RunState,
  kind: ProviderKind,
  { absent, summary }: Settled,
): boolean {
  const { rows, first } = absent;
  if (rows === 0 || rows !== first.length || intent.released.length > 0 || intent.secondOf !== null)
    return false;
  if (intent.resultsLost !== null || summary.counts.unreadable !== rows) return false;
  // A batch of one row is always few enough; without a line nothing shows that its results are there.
  if (summary.lines.own === 0) return false;
  const { doubt } = judgeAbsent(intent, kind, summary.lines, ctx.pacing.missingMs);
  if (doubt === null || ANSWER_MAY_LIE_THERE.has(doubt)) return false;
  const job = ctx.repository.jobs.find((each) => each.job.name === intent.job)?.job ?? run.spec;
  return (
    rows <= mostReleased(job.retry.unreadableShare, intent.count) &&
    looksAgree(intent.collections, ctx.pacing.missingMs)
  );
}

/** The answer may well stand in what was not read: in the rest of a cut file, or in a line that makes no sense. */
const ANSWER_MAY_LIE_THERE: ReadonlySet<AbsenceDoubt> = new Set([
  'no_look',
  'file_gone',
  'file_size',
  'file_end',
  'lines_unreadable',
  'lines_foreign',
]);

/** Pure. */
export function mostReleased(share: number, rows: number): number {
  return share === 0 ? 0 : Math.max(1, Math.floor(share * rows));
}

function rangesOf(ordinals: readonly number[]): OrdinalRange[] {
  const ranges: [number, number][] = [];
  for (const ordinal of ordinals) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] + 1 === ordinal) last[1] = ordinal;
    else ranges.push([ordinal, ordinal]);
  }
  return ranges;
}
