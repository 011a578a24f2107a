import type { JsonObject } from '../ids.ts';
import type { Action, Rest } from '../plan/action.ts';
import { isEmpty, planSum } from './plan-sum.ts';
import type { BudgetLine, NewRunView, PlanView } from './plan-view.ts';

/** What `plan --json` prints. Rendered prompts stay out: they are customer data, and the terminal shows one. */
export function planJson(view: PlanView): JsonObject {
  const of = planSum(view);
  return {
    format: 'batchwright/plan/v1',
    nothing_to_do: isEmpty(view),
    summary: {
      new_runs: of.newRuns,
      in_place: of.inPlace,
      blocked: of.blocked,
      requests: of.requests,
      reused: of.reused,
      estimated_usd: of.estimateUsd,
      ceiling_usd: of.ceilingUsd,
      emulator: of.emulator,
    },
    actions: view.plan.actions.map((action) => actionJson(action, view)),
    in_place: view.inPlace.map(({ job, change }) => ({ job, change })),
    rests: view.plan.rests.map(restJson),
    broken: view.broken.map(({ file, message }) => ({ file, message })),
    new_runs: view.newRuns.map(newRunJson),
    stamp: {
      commit: view.stamp.commit,
      dirty: view.stamp.dirty,
      journal_seq: view.stamp.journalSeq,
      digest: view.stamp.digest,
    },
  };
}

function actionJson(action: Action, view: PlanView): JsonObject {
  switch (action.kind) {
    case 'new_run': {
      const { kind, job, run, generation, reason, forcedBy } = action;
      return { kind, job, run, generation, reason, forced_by: [...forcedBy] };
    }
    case 'withdraw': {
      const { kind, job, batches } = action;
      return { kind, job, batches };
    }
    case 'restore': {
      const { kind, job } = action;
      return { kind, job };
    }
    case 'revalidate': {
      const { kind, job, answers } = action;
      return { kind, job, answers };
    }
    case 'submit': {
      const { kind, job, run, shard, items, reason } = action;
      const send = view.sends.find((each) => each.job === job);
      const money = {
        estimated_usd: send?.estimateUsd ?? null,
        ceiling_usd: send?.ceilingUsd ?? null,
      };
      return { kind, job, run, shard, items, reason, ...money };
    }
    case 'apply': {
      const { kind, job, run, sink, reason } = action;
      return { kind, job, run, sink, reason };
    }
    case 'cancel': {
      const { kind, job, intent, why } = action;
      return { kind, job, intent, why };
    }
    case 'discard': {
      const { kind, job, intent, files } = action;
      return { kind, job, intent, files };
    }
    default:
      return action satisfies never;
  }
}

function restJson({ job, kind, reason, message, next }: Rest): JsonObject {
  return { job, kind, reason, message, next };
}

function newRunJson(run: NewRunView): JsonObject {
  const { estimate } = run.size;
  return {
    job: run.job,
    run: run.run,
    owner: run.owner,
    account: run.account,
    model: run.model,
    emulator: run.emulator,
    requests: run.size.requests,
    reused: run.size.reused,
    set_aside: run.size.setAside,
    rows_gone: run.size.gone.rows,
    problems: run.problems,
    input_tokens: estimate.inputTokens,
    output_tokens: estimate.outputTokens,
    output_tokens_cap: estimate.outputTokensCap,
    estimated_usd: estimate.usd,
    ceiling_usd: estimate.ceilingUsd,
    prices_of: estimate.pricesOf,
    sends: [...run.sends],
    holds_back: [...run.holdsBack],
    canary_items: run.canaryItems,
    shards: run.shards,
    budgets: run.budgets.map(budgetJson),
  };
}

function budgetJson({ scope, usedUsd, afterUsd, ofUsd }: BudgetLine): JsonObject {
  return { scope, used_usd: usedUsd, after_usd: afterUsd, of_usd: ofUsd };
}
