import { sizeOf } from '../../files.ts';
import type { JournalEvent, RawFile } from '../../journal/events.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { costUsd } from '../../manifest/price.ts';
import type { Usage } from '../../outcome/outcome.ts';
import type { Codec } from '../../provider/port.ts';
import { checkOf } from '../checks.ts';
import type { PassContext } from '../context.ts';
import { priceOfIntent } from '../price-of-intent.ts';
import { downloadPath } from '../raw.ts';
import { provenPath } from '../stored.ts';
import { besideAsSettled, besideRule } from './beside.ts';
import { putOutcomes, readOutcomes } from './read-outcomes.ts';
import { releaseRows } from './release.ts';
import { sayUnreadable } from './say-unreadable.ts';
import type { Settled } from './settle.ts';

/** A batch whose bytes are kept, on its way to outcomes. */
export interface Collected {
  readonly intent: IntentState;
  readonly run: RunState;
  readonly provider: Pick<Codec, 'decode' | 'profile'>;
  /** Where its downloads lie, if it was just downloaded. */
  readonly work: string;
  /** What the journal is to be told of the bytes; nothing where it knows. */
  readonly events: readonly JournalEvent[];
  readonly bytes: number;
}

/** What the journal is to be told of the meaning of a batch's bytes; these must stand in it already. */
export async function readCollected(ctx: PassContext, collected: Collected): Promise<JournalEvent[]> {
  const { provider, run, work } = collected;
  const intent = ctx.journal.state.intents[collected.intent.intent] ?? collected.intent;
  const isAgain = intent.settled !== null;
  const { check, recipe } = await checkOf(ctx, run);
  const beside = await (isAgain ? besideAsSettled(ctx, intent) : besideRule(ctx, intent));
  const settled = await readOutcomes({
    intent,
    run,
    provider,
    recipe,
    pathOf: (file) => readablePath(ctx, intent, file, work),
    apartMs: ctx.pacing.missingMs,
    beside,
    work,
  });
  sayOddLines(ctx, intent, settled);
  sayUnreadable(ctx, intent, provider.profile, settled);
  const price = priceOfIntent(intent, run);
  const money = (usage: Usage) => (price === null ? null : costUsd(usage, price));
  const outcomes = {
    intent: intent.intent,
    job: intent.job,
    run: intent.run,
    outcomes: await putOutcomes(ctx, intent, settled.outcomesPath),
    summary: settled.summary,
    usd: money(settled.summary.usage),
    wastedUsd: money(settled.wasted),
    check,
    collections: intent.collections.length,
    ...(beside === null ? {} : { duplicateUsd: money(settled.duplicated), contested: true }),
  };
  const told: JournalEvent = isAgain
    ? { type: 'outcomes.revised', why: 'results', ...outcomes }
    : { type: 'outcomes.settled', ...outcomes };
  return [told, ...(await releaseRows(ctx, intent, run, provider.profile.kind, settled))];
}

/** The download itself where it has just been made: the store has the same bytes, packed. */
async function readablePath(
  ctx: PassContext,
  { collections }: IntentState,
  { kind, bytes, stored }: RawFile,
  work: string,
): Promise<string> {
  const isOfLastLook = collections.at(-1)?.files.some((file) => file.stored.name === stored.name) ?? false;
  const downloaded = downloadPath(work, kind);
  return isOfLastLook && (await sizeOf(downloaded)) === bytes ? downloaded : provenPath(ctx.store, stored);
}

/** Lines that no row will ever show: an answer that was paid for may be among them. */
function sayOddLines(ctx: PassContext, intent: IntentState, { summary }: Settled): void {
  const { foreign, unparsed } = summary.lines;
  if (foreign + unparsed === 0) return;
  const text = `batch ${intent.batch?.id}: its files hold ${foreign} lines of requests that are not its own and ${unparsed} that cannot be read; they stand in the raw files`;
  ctx.say({ level: 'warning', job: intent.job, text });
}
