import { durationText } from './duration.ts';
import { kindOf, PROFILES } from './profiles.ts';
import type { RuleInput, RuleNote } from './rule.ts';

const BUDGETS = {
  perRunUsd: 'per_run_usd',
  perMonthUsd: 'per_month_usd',
  maxItems: 'max_items',
  approveAboveUsd: 'approve_above_usd',
} as const;

export function budgetOnlyLowers({ job, settings }: RuleInput): RuleNote[] {
  return (Object.keys(BUDGETS) as (keyof typeof BUDGETS)[]).flatMap((name) => {
    const [asked, limit] = [job.budget[name], settings.budgets[name]];
    if (asked === null || limit === null || asked <= limit) return [];
    const field = BUDGETS[name];
    return [
      {
        path: ['budget', field],
        code: 'budget-raised',
        message: `\`${field}: ${asked}\` is more than the ${limit} that batchwright.yaml allows; a job may only lower it.`,
        hint: `Write at most ${limit}, or raise the limit in batchwright.yaml.`,
      },
    ];
  });
}

export function truncatedCapIsHigher({ job }: RuleInput): RuleNote[] {
  const cap = job.retry.truncatedMaxTokens;
  if (cap === null) return [];
  if (job.output.maxTokens === 0) return [NOTHING_TO_CUT];
  if (cap > job.output.maxTokens) return [];
  return [
    {
      path: ['retry', 'truncated', 'max_tokens'],
      code: 'cap-not-higher',
      message: `The second try would stop at ${cap} tokens again; the first stops at ${job.output.maxTokens}.`,
      hint: 'Write more than `output.max_tokens`, or leave `truncated` out.',
    },
  ];
}

const NOTHING_TO_CUT: RuleNote = {
  path: ['retry', 'truncated'],
  code: 'cap-not-taken',
  message: 'Neither an embedding nor a moderation can stop at a token cap.',
  hint: 'Leave `truncated` out.',
};

export function retriesFitAttempts({ job }: RuleInput): RuleNote[] {
  const { invalidOutput, maxAttempts } = job.retry;
  if (invalidOutput < maxAttempts) return [];
  return [
    {
      path: ['retry', 'invalid_output'],
      level: 'warning',
      code: 'retries-cut',
      message: `\`max_attempts: ${maxAttempts}\` leaves fewer than \`invalid_output: ${invalidOutput}\` further tries.`,
      hint: 'Raise `max_attempts`, or lower `invalid_output`.',
    },
  ];
}

export function canaryFitsItems({ job, settings }: RuleInput): RuleNote[] {
  const most = job.budget.maxItems ?? settings.budgets.maxItems;
  if (job.canary === null || most === null || job.canary.items < most) return [];
  return [
    {
      path: job.budget.maxItems === null ? ['canary', 'items'] : ['budget', 'max_items'],
      level: 'warning',
      code: 'canary-is-all',
      message: `The canary has ${job.canary.items} rows and the run at most ${most}: nothing is left to hold back.`,
      hint: 'Lower `canary.items`, or write `canary: false`.',
    },
  ];
}

/** Providers promise an end within their window, and nothing sooner. */
export function deadlineFitsWindow({ job, settings }: RuleInput): RuleNote[] {
  const { windowMs } = PROFILES[kindOf(job.model.provider, settings)];
  if (job.sla.deadlineMs >= windowMs) return [];
  const hours = windowMs / 3_600_000;
  return [
    {
      path: ['sla', 'deadline'],
      level: 'warning',
      code: 'deadline-short',
      message: `A batch may take ${hours} hours; with a deadline of ${durationText(job.sla.deadlineMs)} the job is often late.`,
      hint: 'Allow for that and for the time that retries take, as in `3d`.',
    },
  ];
}
