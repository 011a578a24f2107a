import { expect, test } from 'vitest';
import { instant } from '../../runner/ids.ts';
import { conditionsOf } from '../../runner/report/conditions.ts';
import { type JobFacts, phaseOf, type RunFacts } from '../../runner/report/phase.ts';
import type { Condition } from '../../runner/report/report.ts';

const FROZEN = instant('2026-11-25T09:00:00Z');
const CHANGED = instant('2026-11-26T11:42:00Z');

const RUN: RunFacts = {
  run: 7,
  generation: 7,
  frozenAt: FROZEN,
  changedAt: CHANGED,
  items: 100,
  dispositions: { applied: 100 },
  balanced: true,
  canary: 'passed',
  live: 0,
  ended: 0,
  settled: 5,
};

const FACTS: JobFacts = {
  generation: 7,
  generationAt: FROZEN,
  invalid: null,
  suspended: null,
  blocked: null,
  stalled: null,
  run: RUN,
};

const STALLED: JobFacts['stalled'] = {
  kind: 'stalled',
  reason: 'AccountPaused',
  message: 'no credit',
  next: 'top up',
  since: CHANGED,
};
const APPROVAL = { reason: 'AwaitingApproval', message: 'over $20', approval: true };
const BUDGET = { reason: 'BudgetExceeded', message: 'over $40', approval: false };

function runIs(some: Partial<RunFacts>): JobFacts {
  return { ...FACTS, run: { ...RUN, ...some } };
}

type Summary = Partial<Record<Condition['type'], string>>;

const CASES: readonly (readonly [name: string, facts: JobFacts, phase: string, conditions: Summary])[] = [
  ['every row applied', FACTS, 'complete', { Ready: 'True Succeeded', Reconciling: 'False Idle' }],
  ['reused rows are applied ones', runIs({ dispositions: { applied: 1, reused: 99 } }), 'complete', {}],
  [
    'some failed',
    runIs({ dispositions: { applied: 90, held: 4, failed: 3, refused: 3 } }),
    'complete with failures',
    { Ready: 'False PartialFailure', Stalled: 'False NotStalled' },
  ],
  [
    'a row set aside is a failure too',
    runIs({ dispositions: { applied: 99, set_aside: 1 } }),
    'complete with failures',
    {},
  ],
  ['no run yet', { ...FACTS, run: null }, 'planned', { Ready: 'Unknown Planned', Balanced: 'Unknown NoRun' }],
  [
    'nothing known yet',
    { ...FACTS, generation: null, generationAt: null, run: null },
    'planned',
    { Approved: 'Unknown NotYetPlanned' },
  ],
  ['a newer generation has no run', { ...FACTS, generation: 8 }, 'planned', { Ready: 'Unknown Planned' }],
  [
    'a newer generation waits while the old run is open',
    { ...runIs({ dispositions: { in_flight: 100 }, live: 5, settled: 0 }), generation: 8 },
    'sent',
    { Ready: 'Unknown Planned', Reconciling: 'True ProviderRunning' },
  ],
  [
    'the canary is away',
    runIs({ canary: 'open', settled: 0, dispositions: { in_flight: 10, unsent: 90 } }),
    'canary',
    { Ready: 'Unknown Progressing', Reconciling: 'True Canary' },
  ],
  [
    'the canary failed',
    runIs({ canary: 'failed', settled: 0, dispositions: { held: 10, unsent: 90 } }),
    'stalled',
    { Stalled: 'True CanaryFailed', Ready: 'False CanaryFailed' },
  ],
  [
    'the canary is back, the rest is not sent',
    runIs({ canary: 'passed', settled: 0, dispositions: { applied: 10, unsent: 90 } }),
    'canary',
    { Stalled: 'False NotStalled', Reconciling: 'True Canary' },
  ],
  [
    'the canary is back, the rest is on its way',
    runIs({ canary: 'passed', settled: 0, live: 1, dispositions: { applied: 10, in_flight: 90 } }),
    'sent',
    {},
  ],
  [
    'all at the provider',
    runIs({ dispositions: { applied: 10, in_flight: 90 }, live: 5, settled: 0 }),
    'sent',
    {},
  ],
  ['an ambiguous shard counts as sent', runIs({ dispositions: { ambiguous: 100 }, settled: 0 }), 'sent', {}],
  [
    'all ended, none settled',
    runIs({ dispositions: { in_flight: 100 }, ended: 5, settled: 0 }),
    'collecting',
    { Reconciling: 'True Collecting' },
  ],
  ['answers wait for their sink', runIs({ dispositions: { valid_not_applied: 100 } }), 'collecting', {}],
  [
    'some settled, some open',
    runIs({ dispositions: { applied: 60, waiting: 40 }, live: 1 }),
    'partly done',
    { Reconciling: 'True Retrying' },
  ],
  [
    'frozen, nothing sent',
    runIs({ canary: 'none', dispositions: { unsent: 100 }, settled: 0 }),
    'planned',
    { Reconciling: 'True Submitting' },
  ],
  [
    'a person must say yes',
    { ...FACTS, run: null, blocked: APPROVAL },
    'awaiting approval',
    { Approved: 'False AwaitingApproval', Ready: 'False AwaitingApproval', Stalled: 'False NotStalled' },
  ],
  [
    'over the ceiling',
    { ...FACTS, run: null, blocked: BUDGET },
    'stalled',
    { Approved: 'False BudgetExceeded', Stalled: 'True BudgetExceeded' },
  ],
  [
    'no credit',
    { ...FACTS, stalled: STALLED },
    'stalled',
    { Stalled: 'True AccountPaused', Ready: 'False AccountPaused' },
  ],
  [
    'a broken file',
    { ...FACTS, invalid: { errors: 3, message: 'unknown field' } },
    'stalled',
    { Validated: 'False Invalid', Ready: 'False ValidationFailed' },
  ],
  [
    'suspended beats all else',
    { ...FACTS, stalled: STALLED, suspended: { reason: 'legal', until: '2026-12-24' } },
    'suspended',
    { Suspended: 'True User', Stalled: 'True AccountPaused' },
  ],
  [
    'books that do not balance',
    runIs({ balanced: false, dispositions: { applied: 99 } }),
    'complete',
    { Balanced: 'False BooksDiffer', Ready: 'False BooksDiffer' },
  ],
];

test.each(CASES)('%s', (_name, facts, phase, expected) => {
  const conditions = conditionsOf(facts);
  expect(phaseOf(facts)).toBe(phase);
  const found = Object.fromEntries(
    conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
  expect(found).toMatchObject(expected);
});

test('one condition of each type, with times from the journal', () => {
  const conditions = conditionsOf(runIs({ dispositions: { applied: 98, held: 2 } }));
  expect(conditions.map(({ type }) => type)).toEqual([
    'Ready',
    'Validated',
    'Approved',
    'Reconciling',
    'Stalled',
    'Suspended',
    'Balanced',
  ]);
  expect(conditions[0]).toEqual({
    type: 'Ready',
    status: 'False',
    reason: 'PartialFailure',
    message: '2 of 100 rows have no applied answer',
    generation: 7,
    since: CHANGED,
  });
  expect(conditions.at(-1)?.message).toBe('100 manifest = 98 applied + 2 held');
});
