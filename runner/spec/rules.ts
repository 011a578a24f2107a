import { epochMs, instantOf } from '../ids.ts';
import type { OutputSpec, Task } from './job.ts';
import type { Rule, RuleInput, RuleNote } from './rule.ts';
import {
  budgetOnlyLowers,
  canaryFitsItems,
  deadlineFitsWindow,
  retriesFitAttempts,
  truncatedCapIsHigher,
} from './rules-limits.ts';
import {
  endpointFitsOutput,
  OUTPUTS,
  parametersFitEndpoint,
  providerIsKnown,
  rawLeavesJobAlone,
  systemPromptIsTaken,
} from './rules-model.ts';
import { columnsListedOnce, keysMayBeShown } from './rules-rows.ts';
import { listed } from './suggest.ts';

/** Everything that the schema cannot say about one job. Pure. */
export function ruleNotes(input: RuleInput): RuleNote[] {
  return RULES.flatMap((rule) => rule(input));
}

const RULES: readonly Rule[] = [
  columnsListedOnce,
  providerIsKnown,
  parametersFitEndpoint,
  endpointFitsOutput,
  systemPromptIsTaken,
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

/** What each kind of output can be used for; JSON can be text too. */
const TASKS: Readonly<Record<OutputSpec['kind'], readonly Task[]>> = {
  json: ['extraction', 'classification', 'generation'],
  text: ['generation'],
  embedding: ['embedding'],
  moderation: ['classification'],
};

function taskFitsOutput({ job }: RuleInput): RuleNote[] {
  const fitting = TASKS[job.output.kind];
  if (fitting.includes(job.task)) return [];
  const path = ['task'];
  if (job.output.kind === 'text' && job.task !== 'embedding') {
    return [
      {
        path,
        code: 'task-needs-schema',
        message: `The task \`${job.task}\` needs answers that can be counted, and the output is free text.`,
        hint: 'Write `output.schema`, or `task: generation`.',
      },
    ];
  }
  return [
    {
      path,
      code: 'task-misfit',
      message: `The task \`${job.task}\` does not go with ${OUTPUTS[job.output.kind]} as output.`,
      hint: `Leave \`task\` out, or write ${listed(fitting)}.`,
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
