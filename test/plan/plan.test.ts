import { describe, expect, it } from 'vitest';
import { digestOf } from '../../runner/ids.ts';
import { plan as planAll } from '../../runner/plan/plan.ts';
import type { Snapshot } from '../../runner/plan/snapshot.ts';
import type { RunDefinition } from '../../runner/spec/job.ts';
import {
  accepted,
  batch,
  frozen,
  generation,
  intent,
  intentId,
  JOB,
  SHAPE,
  settled,
  stateOf,
} from '../support/journal.ts';
import { desired, inMinutes, loaded, NOTHING_SENDABLE, observed, snapshot } from '../support/plan.ts';

const RUN = [generation(), frozen()];

/** Without the tidying up at the provider, which has tests of its own below. */
function plan(of: Snapshot) {
  const { actions, rests } = planAll(of);
  return { rests, actions: actions.filter((action) => action.kind !== 'discard') };
}
const unsent = observed({ dispositions: { unsent: 100 }, sendable: { ...NOTHING_SENDABLE, first: 100 } });

describe('what an edit means', () => {
  it('a new job is a new run', () => {
    expect(plan(snapshot()).actions).toMatchObject([
      { kind: 'new_run', run: 1, generation: 1, reason: 'new job' },
    ]);
  });

  const edits: [string, Partial<RunDefinition>][] = [
    ['model', { model: digestOf('other') }],
    ['prompt', { prompt: digestOf('other') }],
    ['schema', { schema: digestOf('other') }],
    ['output', { output: digestOf('other') }],
    ['input', { input: digestOf('other') }],
  ];
  it.each(edits)('an edit of %s is a new run that names it', (part, defines) => {
    const job = desired({}, { loaded: loaded({}, defines) });
    const { actions } = plan(snapshot({ job, state: stateOf(RUN), run: unsent }));
    expect(actions).toMatchObject([
      { kind: 'new_run', run: 2, generation: 2, reason: `${part} changed`, forcedBy: [part] },
    ]);
  });

  it.each([
    ['on_change', ['new_run']],
    ['once', ['submit']],
    ['manual', ['submit']],
  ] as const)('changed source files under refresh %s: %j', (refresh, kinds) => {
    const job = desired(
      { input: { ...JOB.input, refresh } },
      { source: { digest: digestOf('new'), files: 1, bytes: 11 } },
    );
    expect(
      plan(snapshot({ job, state: stateOf(RUN), run: unsent })).actions.map((action) => action.kind),
    ).toEqual(kinds);
  });

  it('another account is a new run', () => {
    const job = desired({}, { account: 'openai/other' as never });
    expect(plan(snapshot({ job, state: stateOf(RUN), run: unsent })).actions).toMatchObject([
      { kind: 'new_run', forcedBy: ['account'] },
    ]);
  });

  it('an operational field is no new run', () => {
    const job = desired({ owner: 'other', priority: 'high', budget: { ...JOB.budget, perRunUsd: 1 } });
    expect(plan(snapshot({ job, state: stateOf(RUN), run: unsent })).actions).toMatchObject([
      { kind: 'submit' },
    ]);
  });

  it('a suspended job sends and applies nothing, until its time has come', () => {
    const suspend = { reason: 'legal', until: '2026-11-30T12:00:00Z' };
    const at = (minutes: number) =>
      plan(
        snapshot({ job: desired({ suspend }), state: stateOf(RUN), run: unsent, now: inMinutes(minutes) }),
      );
    expect(at(60)).toMatchObject({ actions: [], rests: [{ kind: 'suspended' }] });
    expect(at(181).actions).toMatchObject([{ kind: 'submit' }]);
  });

  it('a commit that is not the tip does nothing', () => {
    expect(plan(snapshot({ readOnly: 'not the tip' }))).toMatchObject({
      actions: [],
      rests: [{ reason: 'NotTheTip' }],
    });
  });
});

describe('sending', () => {
  it('sends what was never sent', () => {
    expect(plan(snapshot({ state: stateOf(RUN), run: unsent })).actions).toMatchObject([
      { kind: 'submit', shard: 'first', items: 100 },
    ]);
  });

  it('waits while batches are under way and nothing is left to send', () => {
    const state = stateOf([...RUN, intent(1)], [accepted(1)]);
    const run = observed({ dispositions: { in_flight: 100 } });
    expect(plan(snapshot({ state, run }))).toMatchObject({
      actions: [],
      rests: [{ kind: 'in_flight', message: '1 batch under way' }],
    });
  });

  it('keeps to max_in_flight', () => {
    const job = desired({ shard: { maxItems: null, maxInFlight: 1 } });
    const state = stateOf([...RUN, intent(1)], [accepted(1)]);
    expect(plan(snapshot({ job, state, run: unsent }))).toMatchObject({
      actions: [],
      rests: [{ kind: 'in_flight' }],
    });
  });

  it('tries again only after a pause that doubles with each round, and when nothing is under way', () => {
    const run = observed({ dispositions: { waiting: 5 }, sendable: { ...NOTHING_SENDABLE, retry: 5 } });
    const state = stateOf([...RUN, intent(1)], [accepted(1)], [settled(1, { ok: 95, provider_error: 5 })]);
    const at = (minutes: number) => plan(snapshot({ state, run, now: inMinutes(minutes) }));
    expect(at(6)).toMatchObject({ actions: [], rests: [{ kind: 'waiting', reason: 'Retry' }] });
    expect(at(8).actions).toMatchObject([{ kind: 'submit', shard: 'retry', items: 5 }]);
    const second = stateOf(
      [...RUN, intent(1)],
      [settled(1, { provider_error: 5 })],
      [intent(2, { kind: 'retry' })],
      [settled(2, { provider_error: 5 })],
    );
    const later = (minutes: number) =>
      plan(snapshot({ state: second, run, now: inMinutes(minutes) })).actions;
    expect(later(12)).toEqual([]);
    expect(later(14)).toMatchObject([{ shard: 'retry' }]);
  });

  it('stops at a batch that the provider rejects as such', () => {
    const error = {
      status: 400,
      code: 'bad',
      message: 'no such endpoint',
      about: 'request' as const,
      retryAfterMs: null,
    };
    const state = stateOf(
      [...RUN, intent(1)],
      [{ type: 'submit.refused', intent: intentId(1), job: JOB.name, error }],
    );
    expect(plan(snapshot({ state, run: unsent }))).toMatchObject({
      actions: [],
      rests: [{ kind: 'blocked', reason: 'ProviderRejected' }],
    });
  });

  it.each([
    ['account', 'blocked', 'AccountPaused', 61],
    ['capacity', 'waiting', 'QueueFull', 16],
  ] as const)(
    'after a refusal about %s nothing is created for a while, then again',
    (about, kind, reason, minutes) => {
      const error = { status: 429, code: 'x', message: 'no', about, retryAfterMs: null };
      const state = stateOf(RUN, [
        intent(1),
        { type: 'submit.refused', intent: intentId(1), job: JOB.name, error },
      ]);
      expect(plan(snapshot({ state, run: unsent, now: inMinutes(2) }))).toMatchObject({
        actions: [],
        rests: [{ kind, reason }],
      });
      expect(plan(snapshot({ state, run: unsent, now: inMinutes(minutes + 1) })).actions).toMatchObject([
        { kind: 'submit' },
      ]);
    },
  );

  it('sends nothing that a person cancelled', () => {
    const run = observed({ dispositions: { waiting: 3 }, sendable: { ...NOTHING_SENDABLE, cancelled: 3 } });
    expect(plan(snapshot({ state: stateOf(RUN), run }))).toMatchObject({
      actions: [],
      rests: [{ reason: 'Cancelled' }],
    });
  });
});

describe('the canary', () => {
  const job = desired({ canary: { items: 10, minValid: 0.9 } });
  const spec = { ...JOB, canary: { items: 10, minValid: 0.9 } };
  const first = [generation(), frozen({ spec })];
  const canary = intent(1, { kind: 'canary', ordinals: [[0, 9]], count: 10 });
  const rest = observed({ dispositions: { unsent: 90 }, sendable: { ...NOTHING_SENDABLE, first: 90 } });

  it('goes before the rest', () => {
    expect(plan(snapshot({ job, state: stateOf(first), run: unsent })).actions).toMatchObject([
      { kind: 'submit', shard: 'canary', items: 10 },
    ]);
  });

  it('holds the rest back while it is under way', () => {
    const state = stateOf([...first, canary], [accepted(1)]);
    expect(plan(snapshot({ job, state, run: rest }))).toMatchObject({
      actions: [],
      rests: [{ reason: 'Canary' }],
    });
  });

  const verdicts: [string, Record<string, number>, object][] = [
    ['ten of ten', { ok: 10 }, { actions: [{ shard: 'first', items: 90 }] }],
    ['nine of ten', { ok: 9, invalid_output: 1 }, { actions: [{ shard: 'first' }] }],
    ['eight of ten', { ok: 8, truncated: 2 }, { actions: [], rests: [{ reason: 'CanaryFailed' }] }],
    [
      'what the provider did not run is tried again',
      { ok: 6, provider_error: 4 },
      { actions: [{ shard: 'canary', items: 4 }] },
    ],
  ];
  it.each(verdicts)('%s', (_name, counts, expected) => {
    const state = stateOf([...first, canary], [accepted(1)], [settled(1, counts)]);
    expect(plan(snapshot({ job, state, run: rest }))).toMatchObject(expected);
  });

  it('is not needed for a recipe that an earlier run has sent', () => {
    const state = stateOf(
      [...first, canary],
      [settled(1, { ok: 10 })],
      [intent(2)],
      [settled(2, { ok: 90 })],
      [frozen({ run: 2, spec })],
    );
    expect(plan(snapshot({ job, state, run: unsent })).actions).toMatchObject([{ shard: 'first' }]);
  });
});

describe('applying', () => {
  const answered = (
    sinks: Record<string, ReturnType<typeof digestOf> | null>,
    dispositions: object = { valid_not_applied: 100 },
  ) => observed({ dispositions, sinks });
  const settledRun = [[...RUN, intent(1)], [accepted(1)], [settled(1, { ok: 100 })]] as const;
  const applied = (throughSeq: number) => ({
    type: 'applied' as const,
    job: JOB.name,
    run: 1,
    sink: SINK,
    path: 'out/tickets.parquet',
    digest: digestOf('file'),
    bytes: 1,
    rows: 100,
    throughSeq,
    shape: SHAPE,
  });
  const SINK = 'parquet:out/tickets.parquet';

  it('applies new answers', () => {
    expect(plan(snapshot({ state: stateOf(...settledRun), run: answered({}) })).actions).toMatchObject([
      { kind: 'apply', sink: SINK, reason: 'not applied yet' },
    ]);
  });

  it.each([
    ['holds everything', digestOf('file'), 3, []],
    ['is missing', null, 3, ['the file is missing']],
    ['was changed by somebody', digestOf('other'), 3, ['the file is not the one that was written']],
    ['is behind', digestOf('file'), 2, ['new answers']],
  ] as const)('a sink that %s', (_name, digest, through, reasons) => {
    const state = stateOf(...settledRun, [applied(through)]);
    const { actions } = plan(snapshot({ state, run: answered({ [SINK]: digest }, { applied: 100 }) }));
    expect(actions.flatMap((action) => (action.kind === 'apply' ? [action.reason] : []))).toEqual(reasons);
  });

  it('a batch that brought no answer is no reason to write a sink again', () => {
    const again = (counts: Record<string, number>) => [
      ...settledRun,
      [applied(3)],
      [intent(2, { kind: 'retry', count: 1 })],
      [settled(2, counts)],
    ];
    const kinds = (counts: Record<string, number>) =>
      plan(
        snapshot({
          state: stateOf(...again(counts)),
          run: answered({ [SINK]: digestOf('file') }, { applied: 99 }),
        }),
      ).actions.map(({ kind }) => kind);
    expect(kinds({ rate_or_capacity: 1 })).toEqual([]);
    expect(kinds({ ok: 1 })).toEqual(['apply']);
    expect(kinds({ late: 1 })).toEqual(['apply']);
  });

  it("leaves the last run's rows in place until the new run is finished", () => {
    const state = stateOf(
      ...settledRun,
      [applied(3)],
      [frozen({ run: 2 }), intent(2, { run: 2 })],
      [settled(2, { ok: 50 })],
    );
    const kinds = (dispositions: object) =>
      plan(snapshot({ state, run: answered({ [SINK]: digestOf('file') }, dispositions) })).actions.map(
        (action) => action.kind,
      );
    expect(kinds({ valid_not_applied: 50, in_flight: 50 })).not.toContain('apply');
    expect(kinds({ valid_not_applied: 50, failed: 50 })).toContain('apply');
  });

  it('discards remote files only when every sink holds their answers', () => {
    const files = { outputFileId: 'file-out', state: 'completed' as const };
    const discards = (through: number) =>
      planAll(
        snapshot({
          state: stateOf(
            [...RUN, intent(1)],
            [accepted(1, files)],
            [settled(1, { ok: 100 })],
            [applied(through)],
          ),
          run: answered({ [SINK]: digestOf('file') }, { applied: 100 }),
        }),
      ).actions.filter((action) => action.kind === 'discard');
    expect(discards(2)).toEqual([]);
    expect(discards(3)).toMatchObject([{ intent: intentId(1), files: 2 }]);
  });
});

it('plans urgent jobs first, and says the same twice', () => {
  const jobs = [
    desired({ name: 'b' as never, priority: 'low' }),
    desired({ name: 'c' as never, priority: 'high' }),
    desired({ name: 'a' as never, priority: 'low' }),
  ];
  const first = plan(snapshot({ jobs }));
  expect(first.actions.map((action) => action.job)).toEqual(['c', 'a', 'b']);
  expect(plan(snapshot({ jobs: jobs.toReversed() }))).toEqual(first);
});

it('is finished where only remote files are left to delete', () => {
  const state = stateOf(
    [...RUN, intent(1)],
    [accepted(1, { state: 'completed' })],
    [settled(1, { refused: 100 })],
  );
  const run = observed({ dispositions: { refused: 100 } });
  expect(planAll(snapshot({ state, run }))).toMatchObject({
    actions: [{ kind: 'discard' }],
    rests: [{ kind: 'idle', reason: 'UpToDate' }],
  });
});

it('rests where everything is done', () => {
  const state = stateOf(
    [...RUN, intent(1)],
    [accepted(1, batch(1, { state: 'completed' }))],
    [settled(1, { refused: 100 })],
    [{ type: 'remote.discarded', intent: intentId(1), job: JOB.name, files: 1, inputOnly: false }],
  );
  expect(plan(snapshot({ state, run: observed({ dispositions: { refused: 100 } }) }))).toMatchObject({
    actions: [],
    rests: [{ kind: 'idle' }],
  });
});
