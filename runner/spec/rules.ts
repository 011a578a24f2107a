import { epochMs, instantOf } from '../ids.ts';
import type { Rule, RuleInput, RuleNote } from './rule.ts';
import {
  budgetOnlyLowers,
  canaryFitsItems,
  deadlineFitsWindow,
  retriesFitAttempts,
  truncatedCapIsHigher,
} from './rules-limits.ts';
import { parametersFitEndpoint, providerIsKnown, rawLeavesJobAlone } from './rules-model.ts';
import { columnsListedOnce, keysMayBeShown } from './rules-rows.ts';

/** Everything that the schema cannot say about one job. Pure. */
export function ruleNotes(input: RuleInput): RuleNote[] {
  return RULES.flatMap((rule) => rule(input));
}

const RULES: readonly Rule[] = [
  columnsListedOnce,
  providerIsKnown,
  parametersFitEndpoint,
  rawLeavesJobAlone,
  budgetOnlyLowers,
  taskFitsOutput,
  truncatedCapIsHigher,
  retriesFitAttempts,
  canaryFitsItems,
  deadlineFitsWindow,
  suspensionIsAhead,
  movedFromAnother,
  keysMayBeShown,
];

function taskFitsOutput({ job }: RuleInput): RuleNote[] {
  if (job.output.kind === 'json' || job.task === 'generation') return [];
  return [
    {
      path: ['task'],
      code: 'task-needs-schema',
      message: `The task \`${job.task}\` needs answers that can be counted, and the output is free text.`,
      hint: 'Write `output.schema`, or `task: generation`.',
    },
  ];
}

function suspensionIsAhead({ job, now }: RuleInput): RuleNote[] {
  const until = job.suspend?.until ?? null;
  if (until === null) return [];
  if (!isTime(until)) {
    const message = `\`${until}\` is a day or time that does not exist.`;
    return [{ path: ['suspend', 'until'], code: 'wrong-form', message }];
  }
  if (Date.parse(until) > epochMs(now)) return [];
  return [
    {
      path: ['suspend', 'until'],
      level: 'warning',
      code: 'suspension-over',
      message: `The suspension ended on ${until}; the job runs again.`,
      hint: 'Remove `suspend`, or name a later day.',
    },
  ];
}

/** `Date.parse` takes 31 February for 3 March. */
function isTime(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && instantOf(ms).startsWith(text.slice(0, 10));
}

function movedFromAnother({ job }: RuleInput): RuleNote[] {
  if (job.movedFrom !== job.name) return [];
  const message = '`moved_from` is the job itself.';
  return [
    {
      path: ['moved_from'],
      code: 'moved-from-itself',
      message,
      hint: 'Write the former name, or remove it.',
    },
  ];
}
