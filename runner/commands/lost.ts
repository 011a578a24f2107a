import { userError } from '../errors.ts';
import { type Instant, later } from '../ids.ts';
import type { IntentState } from '../journal/state.ts';
import { isOpen } from '../plan/spend.ts';
import type { PassContext } from '../reconcile/context.ts';
import { many, usd } from '../report/text.ts';
import { person, runOf, tell } from './ask.ts';
import { type Common, EXIT } from './common.ts';
import { withContext } from './session.ts';

/**
 * A person gives up a batch that the provider does not show any more, or an intent whose batch nobody has found. Only
 * the journal is told; the next pass counts its rows as missing.
 */
export async function runLost(
  options: Common & { readonly job: string; readonly id: string },
): Promise<number> {
  return withContext(
    options,
    async (ctx) => {
      const { job } = runOf(ctx, options.job);
      const intent = openIntent(ctx, job, options.id);
      const objection = whyNot(intent, ctx);
      if (objection !== null)
        throw userError('not-lost', `${options.id} is not lost: ${objection}`, `batchwright status ${job}`);
      await tell(ctx, { type: 'batch.lost', intent: intent.intent, job, by: person() });
      options.out(
        `${job}: shard ${intent.shard} is given up. The next pass counts its ${many(intent.count, 'row')} as missing and tries them again; ` +
          `${usd(intent.reservedUsd)} count as spent, since it may have been paid for. Should it turn up, its answers are collected\n`,
      );
      return EXIT.ok;
    },
    'append',
  );
}

function openIntent(ctx: PassContext, job: IntentState['job'], id: string): IntentState {
  const open = Object.values(ctx.journal.state.intents).filter(
    (intent) => intent.job === job && isOpen(intent),
  );
  const found = open.find((intent) => intent.batch?.id === id || intent.intent === id);
  if (found !== undefined) return found;
  const known = open.map((intent) => intent.batch?.id ?? intent.intent).join(', ');
  throw userError(
    'unknown-batch',
    `${job} has no open batch or intent ${JSON.stringify(id)}`,
    known === '' ? 'nothing of it is under way' : `under way: ${known}`,
  );
}

/** What can be seen is not lost; what may still be created is not either. */
function whyNot(intent: IntentState, ctx: PassContext): string | null {
  if (intent.lost !== null) return 'it was given up before; the next pass acts on it';
  if (intent.phase === 'intent' && ctx.now() < intent.notAfter)
    return `its create may still be carried out until ${intent.notAfter}`;
  if (intent.phase === 'live' && intent.unseenSince === null)
    return 'the provider showed it at the last look; `batchwright cancel` without `--lost` asks it to end';
  if ((intent.phase === 'ended' || intent.phase === 'collected') && ctx.now() < readableUntil(intent))
    return `it has ended, and its results are tried again in each pass; it can be given up after ${readableUntil(intent)}`;
  return null;
}

/** A provider in trouble has its files again within hours, and whoever sends the rows again pays for them again. */
const TROUBLE_MS = 86_400_000;

function readableUntil({ batch, at }: IntentState): Instant {
  return later(batch?.endedAt ?? batch?.createdAt ?? at, TROUBLE_MS);
}
