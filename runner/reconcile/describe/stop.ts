import type { Duck } from '../../duck.ts';
import { intentsOf } from '../../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../../journal/state.ts';
import { dispositionCounts, sendableCounts } from '../../ledger/books.ts';
import { countCauses, pickExample } from '../../ledger/causes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { canaryVerdict, type Left } from '../../plan/canary.ts';
import { countLeft, findStop, type Stop } from '../../plan/stop.ts';
import type { CameBack, RunStop } from '../../report/report.ts';
import type { PassContext } from '../context.ts';
import { mayQuoteRows, observeRejections } from '../observe.ts';

/** What of the run could be sent, and what waits for its results. */
export async function readLeft(duck: Duck, { run }: RunState): Promise<Left> {
  return countLeft({
    dispositions: await dispositionCounts(duck, run),
    sendable: await sendableCounts(duck, run),
  });
}

/** What stops the run, as the plan sees it; null where nothing does. @param run with the job's spec as git has it now */
export async function readStop(ctx: PassContext, run: RunState, ledger: Ledger): Promise<Stop | null> {
  const { state } = ctx.journal;
  return findStop(state, run, {
    dispositions: await dispositionCounts(ledger.duck, run.run),
    sendable: await sendableCounts(ledger.duck, run.run),
    rejected: await observeRejections(ctx, run, ledger),
  });
}

/** Pure: the shards whose rows wait for what lifts the stop. Unreadable results are waited for by themselves. */
export function listStoppers(stop: Stop | null): readonly number[] {
  return stop === null || stop.reason === 'ResultsUnreadable' ? [] : stop.shards;
}

/** Pure: the stop with its time, which is that of the journal's entry. */
export function describeStop(state: JournalState, run: RunState, stop: Stop): RunStop {
  const { reason, message, next, shards } = stop;
  const times = intentsOf(state, run)
    .filter(({ shard }) => shards.includes(shard))
    .flatMap(({ settled, refusedAt }) => settled?.at ?? refusedAt?.at ?? []);
  return { reason, message, next, since: times.sort().at(-1) ?? run.frozenAt };
}

/** What came back of the shards that stopped the run, or of a canary that is not over: nobody should have to search for it. */
export async function describeCameBack(
  ctx: PassContext,
  run: RunState,
  ledger: Ledger,
  stop: Stop | null,
): Promise<CameBack | null> {
  const shards = stop?.shards ?? (await findDoubtfulShards(ctx, run, ledger));
  const causes = await countCauses(ledger.duck, run.run, shards);
  if (causes.length === 0) return null;
  const sent = intentsOf(ctx.journal.state, run).filter(({ shard }) => shards.includes(shard));
  return {
    kind: sent.every(({ kind }) => kind === 'canary') ? 'canary' : 'batch',
    causes,
    example: await describeExample(ctx, run, ledger, shards),
  };
}

/** Of a canary that is to be tried again, or the last batch where it was turned away to the last row. */
async function findDoubtfulShards(
  ctx: PassContext,
  run: RunState,
  { duck }: Ledger,
): Promise<readonly number[]> {
  const { state } = ctx.journal;
  const back = intentsOf(state, run).filter(({ settled, secondOf }) => settled !== null && secondOf === null);
  const { kind } = canaryVerdict(state, run, await readLeft(duck, run));
  const isOpen = kind === 'send' || kind === 'waiting';
  const doubtful = isOpen
    ? back.filter((intent) => intent.kind === 'canary')
    : back.slice(-1).filter(wasTurnedAway);
  return doubtful.map(({ shard }) => shard);
}

function wasTurnedAway({ settled, count }: IntentState): boolean {
  const { account = 0, rate_or_capacity: capacity = 0 } = settled?.summary.counts ?? {};
  return account + capacity === count;
}

async function describeExample(
  ctx: PassContext,
  run: RunState,
  { duck }: Ledger,
  shards: readonly number[],
): Promise<CameBack['example']> {
  if (!mayQuoteRows(ctx.settings)) return null;
  const found = await pickExample(duck, run.run, shards);
  return found === null ? null : { key: found.key, detail: found.detail, said: found.said };
}
