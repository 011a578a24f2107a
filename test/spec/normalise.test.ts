import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { durationMs, durationText } from '../../runner/spec/duration.ts';
import { longForm } from '../../runner/spec/long-form.ts';
import { normaliseJob } from '../../runner/spec/normalise.ts';
import { normaliseSettings } from '../../runner/spec/normalise-settings.ts';
import type { WrittenJob } from '../../runner/spec/written-job.generated.ts';
import { NINE_LINES } from '../support/repo.ts';

const BARE = parse(NINE_LINES) as WrittenJob;
const jobOf = (changes: Partial<WrittenJob> = {}, has = true) =>
  normaliseJob(
    { ...BARE, ...changes },
    'jobs/ticket-labels.yaml',
    () => has,
    () => '/v1/responses',
  );

test('the nine lines, written out', () => {
  expect(jobOf()).toEqual({
    name: 'ticket-labels',
    file: 'jobs/ticket-labels.yaml',
    owner: 'support-platform',
    description: null,
    labels: {},
    task: 'extraction',
    sla: {
      class: 'offline',
      deadlineMs: 3 * 86_400_000,
      onDeadline: 'wait',
      stuckAfterMs: 30 * 3_600_000,
      onStuck: 'wait',
    },
    priority: 'normal',
    model: {
      provider: 'openai',
      name: 'gpt-5.4-mini',
      endpoint: '/v1/responses',
      temperature: null,
      reasoning: null,
      seed: null,
      raw: {},
    },
    input: {
      files: ['data/tickets.csv'],
      sql: null,
      key: ['ticket_id'],
      itemType: 'row',
      pass: [],
      onBadRow: 'stop',
      refresh: 'on_change',
      filenameColumn: null,
    },
    prompt: { system: 'ticket-labels/system.hbs', user: 'ticket-labels/user.hbs' },
    output: { kind: 'json', schema: 'ticket-label.schema.json', maxTokens: 60 },
    sinks: [{ kind: 'parquet', path: 'out/ticket-labels.parquet', onRemoved: 'keep' }],
    budget: { perRunUsd: 40, perMonthUsd: null, maxItems: null, approveAboveUsd: null },
    canary: { items: 10, minValid: 0.9, via: 'batch' },
    shard: { maxItems: null, maxInFlight: 10 },
    retry: { maxAttempts: 3, invalidOutput: 1, truncatedMaxTokens: null, unreadableShare: 0.001 },
    suspend: null,
    movedFrom: null,
  });
});

const SHORTHANDS: readonly (readonly [
  name: string,
  written: Partial<WrittenJob>,
  long: Partial<WrittenJob>,
])[] = [
  ['a model with slashes', { model: 'hub/meta/llama' }, { model: { provider: 'hub', name: 'meta/llama' } }],
  [
    'provider and name together',
    { model: { name: 'openai/m', seed: 7 } },
    { model: { provider: 'openai', name: 'm', seed: 7 } },
  ],
  [
    'a prompt by its folder',
    { prompt: 'a/b/' },
    { prompt: { system: 'a/b/system.hbs', user: 'a/b/user.hbs' } },
  ],
  [
    'one column, one file',
    { input: { files: 'a', key: 'b', pass: 'c' } },
    { input: { files: ['a'], key: ['b'], pass: ['c'] } },
  ],
  ['canary: true', { canary: true }, {}],
  ['a part of the canary', { canary: { items: 3 } }, { canary: { items: 3, min_valid: 0.9 } }],
  [
    'a sink by its kind',
    { sinks: [{ kind: 'csv' }] },
    { sinks: [{ kind: 'csv', path: 'out/ticket-labels.csv', on_removed: 'keep' }] },
  ],
  ['a reason alone', { suspend: 'legal' }, { suspend: { reason: 'legal', until: null } }],
  [
    'text is generation',
    { output: { text: true, max_tokens: 9 } },
    { output: { text: true, max_tokens: 9 }, task: 'generation' },
  ],
];

test.each(SHORTHANDS)('%s', (_name, written, long) => {
  expect(jobOf(written)).toEqual(jobOf(long));
});

test('a folder without system.hbs has no system prompt', () => {
  expect(jobOf({}, false).prompt).toEqual({ system: null, user: 'ticket-labels/user.hbs' });
});

test('canary: false turns it off', () => {
  expect(jobOf({ canary: false }).canary).toBeNull();
});

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const written = fc
  .record({
    description: optional(fc.string()),
    labels: optional(fc.dictionary(fc.string({ maxLength: 8 }), fc.string())),
    sla: optional(
      fc.record({
        deadline: fc
          .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('m', 'h', 'd'))
          .map((each) => each.join('')),
      }),
    ),
    model: optional(
      fc.constantFrom<WrittenJob['model']>('a/b', {
        provider: 'a',
        name: 'b/c',
        temperature: 0.5,
        raw: { x: [1, null] },
      }),
    ),
    input: optional(
      fc.record({
        files: fc.array(fc.string(), { minLength: 1 }),
        key: fc.array(fc.string(), { minLength: 1 }),
        sql: optional(fc.string()),
      }),
    ),
    canary: optional(
      fc.constantFrom<NonNullable<WrittenJob['canary']>>(true, false, { items: 3 }, { min_valid: 0.1 }),
    ),
    retry: optional(fc.constantFrom<NonNullable<WrittenJob['retry']>>({}, { truncated: { max_tokens: 99 } })),
    suspend: optional(
      fc.constantFrom<WrittenJob['suspend']>('x', { reason: 'y', until: '2026-12-24' }, null),
    ),
  })
  .map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)));

test('the long form of any job is the same job again, through YAML', () => {
  fc.assert(
    fc.property(written, (changes) => {
      const job = jobOf(changes);
      const again = parse(stringify(longForm(job), { lineWidth: 0 }), { stringKeys: true }) as WrittenJob;
      expect(
        normaliseJob(
          again,
          job.file,
          () => true,
          () => '/v1/responses',
        ),
      ).toEqual(job);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['3d', 259_200_000],
])('%s', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
  expect(durationText(ms)).toBe(text);
});

test('36 hours stay hours, 72 are three days', () => {
  expect([durationText(36 * 3_600_000), durationText(72 * 3_600_000)]).toEqual(['36h', '3d']);
  expect(() => durationMs('3 days')).toThrow(RangeError);
});

test('openai is a provider without settings, and others stand beside it', () => {
  const { providers } = normaliseSettings({
    providers: { eu: { kind: 'openai', base_url: 'https://eu.test/v1' } },
  });
  expect(providers.openai).toMatchObject({
    kind: 'openai',
    apiKeyEnv: 'OPENAI_API_KEY',
    baseUrl: null,
    emulator: false,
  });
  expect(providers.eu?.baseUrl).toBe('https://eu.test/v1');
});

test('written settings, as code uses them', () => {
  const settings = normaliseSettings({
    branch: 'main',
    models: { 'openai/m': { price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 }, batch_factor: 0.5 } },
    budgets: { per_run_usd: 9, owners: { team: { per_month_usd: 7 } } },
    policy: { never_send: ['email'], allowed_roots: ['/srv'] },
    report: { keys: 'hashed', samples: 0 },
  });
  expect(settings).toMatchObject({
    branch: 'main',
    store: { kind: 'local', path: 'state' },
    models: { 'openai/m': { price: { inputUsd: 1, outputUsd: 2 }, batchFactor: 0.5, contextTokens: null } },
    budgets: { perRunUsd: 9, perMonthUsd: null, owners: { team: { perMonthUsd: 7 } } },
    policy: { neverSend: ['email'], allowedRoots: ['/srv'] },
    report: { keys: 'hashed', samples: 0 },
  });
});
