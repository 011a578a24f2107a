import fc from 'fast-check';
import type { Rule } from '../../runner/emulator/scenario.ts';
import { ANSWER_FAULTS, RESULT_FAULTS } from '../../runner/emulator/scenario.ts';
import { EDITS, type Program, type Step } from '../support/program.ts';
import { EVERY_KIND } from '../support/providers.ts';

const OTHERS = EVERY_KIND.filter(({ kind }) => kind !== 'openai').map(({ model }) => model);

/** Which calls a fault meets: always, often, or one of the next few. */
const calls = fc.oneof(
  fc.constant({}),
  fc.record({ share: fc.constantFrom(0.2, 0.5) }),
  fc.record({ nth: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ every: fc.integer({ min: 2, max: 3 }) }),
);

/** `share` would be drawn by ids that are random; a program must come out the same each time. */
const linesOfBatches = fc.oneof(
  fc.record({ line: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ batch: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ share: fc.constant(0.3), sticky: fc.constant(true) }),
  fc.constant({}),
);

const call = fc.oneof(
  fc.record({ status: fc.constantFrom(429, 500, 503) }),
  fc.record({ reset: fc.constant(true) }),
  fc.record({ reset: fc.constant(true), when: fc.constant('after_commit' as const) }),
  fc.record({ status: fc.constant(500), when: fc.constant('after_commit' as const) }),
);

const refusedCreate = fc.constantFrom(
  { status: 400, code: 'invalid_request_error' },
  { status: 401, code: 'invalid_api_key' },
  { status: 429, code: 'insufficient_quota' },
);

const batch = fc.oneof(
  fc.record({ hide_in_list_ms: fc.constantFrom(2_000, 900_000) }),
  fc.record({ not_found_ms: fc.constantFrom(2_000, 60_000) }),
  fc.record({ expire_with: fc.constantFrom(0, 0.5, 1) }),
  fc.record({
    fail: fc.constantFrom('token_limit_exceeded', 'invalid_json_line'),
    fail_line: fc.constant(1),
  }),
  fc.record({ stuck: fc.constantFrom('validating', 'in_progress'), stuck_for_ms: fc.constant(5_000) }),
  fc.constant({ all_failed: true }),
  fc.constant({ output_file: 'dropped' as const }),
  fc.constant({ error_file: 'dropped' as const }),
  fc.record({ files_after_ms: fc.constantFrom(500, 10_000) }),
  fc.constant({ counts: { total: 1, completed: 1, failed: 0 } }),
);

/** The answer to the create is lost, and the batch is not well either. */
const lostBatch = fc.tuple(call, batch).map(([lost, ill]) => ({ ...lost, ...ill }));

const line = fc.oneof(
  fc.record({ status: fc.constantFrom(400, 429, 500) }),
  fc.record({ answer: fc.constantFrom(...ANSWER_FAULTS) }),
  fc.record({ result: fc.constantFrom(...RESULT_FAULTS) }),
);

function rule(on: Rule['on'], match: fc.Arbitrary<object>, fault: fc.Arbitrary<object>): fc.Arbitrary<Rule> {
  return fc.tuple(match, fault).map(([where, what]) => ({ on, ...where, do: what }) as Rule);
}

const anyRule = fc.oneof(
  {
    weight: 4,
    arbitrary: rule('create', calls, fc.oneof(call, lostBatch, lostBatch, refusedCreate, batch, batch)),
  },
  { weight: 4, arbitrary: rule('line', linesOfBatches, line) },
  { weight: 2, arbitrary: rule('download', calls, fc.oneof(call, cuts())) },
  { weight: 2, arbitrary: rule('list', calls, fc.oneof(call, fc.constant({ repeat_cursor: true }))) },
  { weight: 1, arbitrary: rule('upload', calls, call) },
  { weight: 1, arbitrary: rule('poll', calls, fc.oneof(call, fc.constant({ status: 404 }))) },
  { weight: 1, arbitrary: rule('delete', calls, call) },
);

function cuts() {
  return fc.record({ cut_at: fc.constantFrom(0, 0.5, 0.9), content_length: fc.boolean() });
}

const faults = fc.record({
  do: fc.constant('faults' as const),
  rules: fc.array(anyRule, { minLength: 1, maxLength: 3 }),
});

const edit = fc.record({ do: fc.constant('edit' as const), what: fc.constantFrom(...EDITS) });

const clock = fc.record({
  do: fc.constant('clock' as const),
  ms: fc.constantFrom(60_000, 900_000, 3_600_000, 90_000_000),
});

const kill = fc.record({
  do: fc.constant('kill' as const),
  at: fc.integer({ min: 0, max: 120 }),
  lose: fc.constantFrom('process' as const, 'process' as const, 'machine' as const),
});

const pass: fc.Arbitrary<Step> = fc.constant({ do: 'pass' });

/** What may have changed since, and then a pass. */
const scene: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.option(faults, { freq: 2 }),
    fc.option(edit, { freq: 2 }),
    fc.option(clock, { freq: 5 }),
    fc.oneof(pass, pass, kill),
  )
  .map((steps) => steps.filter((step) => step !== null));

/** Half at OpenAI, a quarter at each of the others. */
const model = fc.constantFrom(null, null, ...OTHERS);

export const programs: fc.Arbitrary<Program> = fc
  .record({
    rows: fc.integer({ min: 3, max: 6 }),
    canary: fc.boolean(),
    model,
    steps: fc.array(scene, { minLength: 1, maxLength: 5, size: 'max' }).map((scenes) => scenes.flat()),
  })
  .map(({ model: asked, ...program }) => (asked === null ? program : { ...program, model: asked }));
