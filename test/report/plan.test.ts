import { expect, test } from 'vitest';
import { jobName } from '../../runner/ids.ts';
import { planLine, planSum } from '../../runner/report/plan-sum.ts';
import { planTerminal } from '../../runner/report/plan-terminal.ts';
import type { PlanView } from '../../runner/report/plan-view.ts';
import { newRunAction, newRunView, planView, rest } from '../support/plan-values.ts';

const run = newRunView();
const first = newRunView({ job: jobName('crm-clean'), run: 1, canaryItems: null, shards: 1 });
const rehearsed = newRunView({
  emulator: true,
  holdsBack: [],
  problems: {},
  size: { ...run.size, setAside: 0 },
});

const reusing = newRunView({
  run: 8,
  size: {
    ...run.size,
    requests: 0,
    reused: 100_000,
    estimate: { ...run.size.estimate, requests: 0, usd: 0, ceilingUsd: 0 },
  },
  canaryItems: null,
  shards: 0,
});
const faq = { job: jobName('faq'), run: 3 };
const resend = {
  kind: 'submit',
  ...faq,
  shard: 'retry',
  items: 120,
  reason: '120 rows failed with HTTP 500',
} as const;
const resent = { ...faq, requests: 120, estimateUsd: 0.03, ceilingUsd: 0.04, emulator: false };

const VIEWS: Readonly<Record<string, PlanView>> = {
  full: planView({
    plan: {
      actions: [
        newRunAction(run, 'prompt changed (user.hbs)'),
        newRunAction(first, 'new job'),
        resend,
        {
          kind: 'apply',
          job: jobName('faq'),
          run: 3,
          sink: 'csv:out/faq.csv',
          reason: 'the file is missing',
        },
      ],
      rests: [
        rest(
          'crm-clean',
          'blocked',
          'est. $24.43 is over the $20 that need approval',
          'batchwright approve crm-clean',
        ),
        rest('catalogue', 'idle', 'run 2 is complete'),
        rest('contracts', 'in_flight', '7 batches are at the provider'),
      ],
    },
    newRuns: [run, first],
    sends: [resent],
    inPlace: [{ job: jobName('faq-embed'), change: 'priority normal → high' }],
  }),
  rehearsal: planView({
    plan: { actions: [newRunAction(rehearsed, 'new job')], rests: [] },
    newRuns: [rehearsed],
    command: null,
    stamp: { commit: null, dirty: true, journalSeq: 0, digest: null },
  }),
  reused: planView({
    plan: { actions: [newRunAction(reusing, 'schema changed')], rests: [] },
    newRuns: [reusing],
  }),
  broken: planView({
    plan: { actions: [resend], rests: [rest('ticket-labels', 'idle', 'run 7 is complete')] },
    sends: [resent],
    broken: [{ file: 'jobs/crm/clean.yaml', message: 'line 6: `modle` is not a field of a job' }],
    command: 'batchwright reconcile faq',
  }),
  nothing: planView({
    plan: {
      actions: [],
      rests: [
        rest('ticket-labels', 'idle', 'run 7 is complete, 99,412 of 100,000 applied'),
        rest('dependency-review', 'in_flight', '7 batches are at the provider'),
      ],
    },
  }),
};

test.each(Object.entries(VIEWS))('%s', async (name, view) => {
  const text = planTerminal(view, { color: false });
  await expect(text).toMatchFileSnapshot(`../fixtures/report/plan-${name}.txt`);
});

test('what is blocked is shown and not counted', () => {
  const sum = planSum(VIEWS.full ?? planView());
  expect(planLine(sum)).toBe(
    'Plan: 1 new run, 1 in place, 1 blocked · 90,220 requests, 9,900 reused · est. $24.46, at most $29.74',
  );
});

test('a rehearsal goes on by itself, also with a frozen run', () => {
  const view = planView({ plan: { actions: [resend], rests: [] }, sends: [resent], command: null });
  expect(planTerminal(view, { color: false })).not.toContain('To carry it out');
});

test('what is sent again for an unknown price makes the sum unknown', () => {
  const sends = [{ ...resent, ceilingUsd: null }];
  expect(planSum(planView({ plan: { actions: [resend], rests: [] }, sends }))).toMatchObject({
    requests: 120,
    estimateUsd: 0.03,
    ceilingUsd: null,
  });
});

test('a broken repository is not one without jobs', () => {
  const broken = [{ file: 'batchwright.yaml', message: 'line 1: not YAML' }];
  const text = planTerminal(planView({ broken }), { color: false });
  expect(text).toContain('Nothing can be planned.\n\nNot planned batchwright.yaml: line 1: not YAML');
});

test('an unknown price makes the sum unknown', () => {
  const unknown = newRunView({ size: { ...run.size, estimate: { ...run.size.estimate, usd: null } } });
  const view = planView({
    plan: { actions: [newRunAction(unknown, 'new job')], rests: [] },
    newRuns: [unknown],
  });
  expect(planSum(view)).toMatchObject({ estimateUsd: null, ceilingUsd: 29.7 });
});

test('outputs that are not billed have no cap to tell', () => {
  const vectors = newRunView({ maxOutputTokens: 0 });
  const actions = [newRunAction(vectors, 'new job')];
  const text = planTerminal(planView({ plan: { actions, rests: [] }, newRuns: [vectors] }), { color: false });
  expect(text).toContain('no output is billed');
  expect(text).not.toContain('output at most 0');
});
