import { type AccountId, type Digest, digestOf, jobName, type ShortDigest } from '../../runner/ids.ts';
import type { Action, Rest } from '../../runner/plan/action.ts';
import type { NewRunView, PlanView } from '../../runner/report/plan-view.ts';

const HOUR = 3_600_000;

/** Run 7 of ticket-labels: 100,000 requests of which 9,900 are answered already. */
export function newRunView(some: Partial<NewRunView> = {}): NewRunView {
  return {
    job: jobName('ticket-labels'),
    run: 7,
    owner: 'support-platform',
    account: 'openai/batch-prod' as AccountId,
    model: 'openai/gpt-5.4-mini',
    emulator: false,
    size: {
      requests: 90_100,
      reused: 9_900,
      setAside: 3,
      gone: { rows: 0, of: 0 },
      fileBytes: 5_000_000,
      estimate: {
        requests: 90_100,
        inputTokens: 46_761_900,
        outputTokens: 3_063_400,
        outputTokensCap: 5_406_000,
        usd: 24.43,
        ceilingUsd: 29.7,
        pricesOf: '2026-11-24',
      },
    },
    samples: [
      sample('TK-2026-0000002', 210, 'Ticket: help'),
      sample(
        'TK-2026-0003912',
        470,
        'Ticket: Charged twice\n\nI was charged twice in March.\nPlease send one of them back.\n\u001b[31mred\u001b[0m\n::error::gotcha',
      ),
      sample('TK-2026-0009004', 7_904, 'Ticket: log\n'.repeat(400)),
    ],
    before: { run: 6, spentUsd: 26.9, reservedUsd: 0, inFlight: 0, sent: {} },
    approval: {
      generation: 7,
      defines: {
        model: '3f2a91c0',
        prompt: '77ab02e1',
        schema: '5d70be19',
        input: 'be19c04d',
        output: 'c04d3f2a',
        source: '91c077ab',
        account: 'openai/batch-prod',
      },
      requests: 90_100,
      ceilingUsd: 29.7,
      spentUsd: 0,
    },
    sends: ['subject', 'body'],
    holdsBack: ['email'],
    maxOutputTokens: 60,
    canaryItems: 10,
    shards: 5,
    windowMs: 24 * HOUR,
    deadlineMs: 72 * HOUR,
    budgets: [
      { scope: 'run', usedUsd: 0, afterUsd: 29.7, ofUsd: 40 },
      { scope: 'job month', usedUsd: 26.9, afterUsd: 56.6, ofUsd: null },
      { scope: 'owner month', usedUsd: 184.22, afterUsd: 213.92, ofUsd: 500 },
    ],
    problems: { 'empty-key': 2, 'row-too-large': 1 },
    ...some,
  };
}

function sample(key: string, inputTokens: number, user: string): NewRunView['samples'][number] {
  const system =
    'You sort support tickets.\nChoose billing, technical or account. A login problem is account.';
  return { key, requestHash: 'ab'.repeat(16) as ShortDigest, inputTokens, messages: { system, user } };
}

/** `loaded` is not shown by any renderer, so these plans leave it out. */
export function newRunAction(view: NewRunView, reason: string): Action {
  const { job, run } = view;
  return { kind: 'new_run', job, run, generation: run, reason, forcedBy: ['prompt'] } as unknown as Action;
}

export function rest(job: string, kind: Rest['kind'], message: string, next: string | null = null): Rest {
  const reason = kind === 'blocked' ? 'AwaitingApproval' : 'Settled';
  return { job: jobName(job), kind, reason, message, next };
}

export function planView(some: Partial<PlanView> = {}): PlanView {
  return {
    plan: { actions: [], rests: [] },
    newRuns: [],
    sends: [],
    inPlace: [],
    broken: [],
    command: 'batchwright reconcile',
    stamp: { commit: '9f2c1d7e4ab3c05d7786', dirty: false, journalSeq: 61, digest: digest() },
    ...some,
  };
}

function digest(): Digest {
  return digestOf('plan');
}
