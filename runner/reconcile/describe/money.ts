import { intentsOf } from '../../journal/fold.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { spendOfMonth, spendOfRun } from '../../plan/spend.ts';
import type { Books, Money } from '../../report/report.ts';
import type { PassContext } from '../context.ts';

/** Everything about money, from the journal alone. Of this month's owner spend, the month is that of the run's last entry. */
export function describeMoney(ctx: PassContext, run: RunState, dispositions: Books['dispositions']): Money {
  const { state } = ctx.journal;
  const settled = intentsOf(state, run).filter((intent) => intent.settled !== null);
  const spend = spendOfRun(state, run);
  const known = run.price !== null;
  const usage = (of: 'inputTokens' | 'outputTokens' | 'cachedTokens') =>
    sum(settled, (intent) => intent.settled?.summary.usage[of] ?? 0);
  const applied = (dispositions.applied ?? 0) + (dispositions.reused ?? 0);
  const month = spendOfMonth(state, lastChange(run, settled), {
    owner: run.spec.owner,
    emulator: run.emulator,
  });
  const { budgets } = ctx.settings;
  return {
    estimate: run.estimate,
    settledUsd: known ? spend.settled : null,
    settledInputTokens: usage('inputTokens'),
    settledOutputTokens: usage('outputTokens'),
    cachedTokens: usage('cachedTokens'),
    assumedUsd: known ? spend.assumed : null,
    reservedUsd: known ? spend.reserved : null,
    synchronousUsd: run.price === null ? null : spend.settled / run.price.batchFactor,
    wastedUsd: known ? sum(settled, (intent) => intent.settled?.wastedUsd ?? 0) : null,
    ...duplicates(settled, known),
    perThousandAppliedUsd: known && applied > 0 ? (spend.settled / applied) * 1000 : null,
    perRunUsd: run.spec.budget.perRunUsd ?? budgets.perRunUsd,
    owner: {
      monthUsd: month.settled + month.assumed,
      ofUsd: Object.hasOwn(budgets.owners, run.spec.owner)
        ? (budgets.owners[run.spec.owner]?.perMonthUsd ?? null)
        : null,
    },
    unknownCost: sum(settled, (intent) => intent.settled?.summary.withoutUsage ?? 0),
  };
}

function duplicates(settled: readonly IntentState[], known: boolean): Pick<Money, 'duplicateUsd'> {
  if (settled.every((intent) => intent.settled?.duplicateUsd === undefined)) return {};
  return { duplicateUsd: known ? sum(settled, (intent) => intent.settled?.duplicateUsd ?? 0) : null };
}

function sum(intents: readonly IntentState[], of: (intent: IntentState) => number): number {
  return intents.reduce((total, intent) => total + of(intent), 0);
}

/** Not the moment of writing: the same content gives the same report. */
function lastChange(run: RunState, settled: readonly IntentState[]) {
  return (
    settled
      .map((intent) => intent.settled?.at ?? run.frozenAt)
      .sort()
      .at(-1) ?? run.frozenAt
  );
}
