import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { instant } from '../../runner/ids.ts';
import { normaliseJob } from '../../runner/spec/normalise.ts';
import { normaliseSettings } from '../../runner/spec/normalise-settings.ts';
import { ruleNotes } from '../../runner/spec/rules.ts';
import { sinkColumnNotes } from '../../runner/spec/sink-columns.ts';
import type { WrittenJob } from '../../runner/spec/written-job.generated.ts';
import type { WrittenSettings } from '../../runner/spec/written-settings.generated.ts';
import { NINE_LINES } from '../support/repo.ts';

const NOW = instant('2026-11-30T09:00:00Z');
const BARE = parse(NINE_LINES) as WrittenJob;
const jobOf = (changes: Partial<WrittenJob>) =>
  normaliseJob(
    { ...BARE, ...changes },
    'jobs/a.yaml',
    () => true,
    () => '/v1/responses',
  );

const BARE_PROMPT = { user: 'a/user.hbs' };
const EMBEDDING: Partial<WrittenJob> = {
  model: { name: 'openai/m', endpoint: '/v1/embeddings' },
  prompt: BARE_PROMPT,
  output: { embedding: { dimensions: 256 } },
};
const MODERATION: Partial<WrittenJob> = {
  model: { name: 'openai/m', endpoint: '/v1/moderations' },
  prompt: BARE_PROMPT,
  output: { moderation: true },
};
const ENDPOINT_AND_SYSTEM = [
  'error endpoint-misfit model.endpoint',
  'error system-prompt-not-taken prompt.system',
];

/** Each change breaks one rule of an otherwise good job: `<level> <code> <path>`. */
const CASES: readonly (readonly [
  change: Partial<WrittenJob>,
  settings: WrittenSettings,
  found: readonly string[],
])[] = [
  [{}, {}, []],
  [{ input: { files: 'a', key: ['k', 'k'] } }, {}, ['error column-twice input.key.1']],
  [{ input: { files: 'a', key: 'k', pass: ['p', 'p'] } }, {}, ['error column-twice input.pass.1']],
  [{ input: { files: 'a', key: 'k', pass: 'k' } }, {}, ['error column-twice input.pass.0']],
  [{ model: 'opnai/m' }, {}, ['error unknown-provider model.provider']],
  [{ model: { name: 'm' } }, {}, ['error missing-field model.name']],
  [{ model: 'eu/m' }, { providers: { eu: { kind: 'openai' } } }, []],
  [{ model: { name: 'openai/m', seed: 7 } }, {}, ['error parameter-not-taken model.seed']],
  [
    { model: { name: 'anthropic/m', endpoint: '/v1/messages', temperature: 0 } },
    {},
    ['error parameter-not-taken model.temperature'],
  ],
  [{ model: { name: 'anthropic/m', endpoint: '/v1/messages', reasoning: 'low' } }, {}, []],
  [
    { model: { name: 'anthropic/m', endpoint: '/v1/messages', reasoning: 'minimal' } },
    {},
    ['error parameter-not-taken model.reasoning'],
  ],
  [{ model: { name: 'openai/m', seed: 7, endpoint: '/v1/chat/completions' } }, {}, []],
  [{ model: { name: 'openai/m', raw: { n: 2 } } }, {}, ['error raw-reserved model.raw.n']],
  [{ model: { name: 'openai/m', raw: { text: { verbosity: 'low' } } } }, {}, []],
  [{ model: { name: 'openai/m', raw: { top_p: 1 } } }, {}, []],
  [
    { model: { name: 'anthropic/m', endpoint: '/v1/messages', raw: { top_p: 1 } } },
    {},
    ['error parameter-not-taken model.raw.top_p'],
  ],
  [
    { model: { name: 'openai/m', raw: { text: { format: {} } } } },
    {},
    ['error raw-reserved model.raw.text.format'],
  ],
  [{}, { budgets: { per_run_usd: 39 } }, ['error budget-raised budget.per_run_usd']],
  [{}, { budgets: { per_run_usd: 40 } }, []],
  [{ budget: {} }, { budgets: { per_run_usd: 1 } }, []],
  [
    { budget: { max_items: 9e9 } },
    { budgets: { max_items: 10_000 } },
    ['error budget-raised budget.max_items'],
  ],
  [{ output: { text: true, max_tokens: 9 }, task: 'classification' }, {}, ['error task-needs-schema task']],
  [{ output: { text: true, max_tokens: 9 } }, {}, []],
  [{ output: { text: true, max_tokens: 9 }, task: 'embedding' }, {}, ['error task-misfit task']],
  [{ task: 'embedding' }, {}, ['error task-misfit task']],
  [{ ...EMBEDDING, task: 'embedding' }, {}, []],
  [{ ...EMBEDDING, task: 'extraction' }, {}, ['error task-misfit task']],
  [{ ...MODERATION, task: 'classification' }, {}, []],
  [{ ...MODERATION, task: 'generation' }, {}, ['error task-misfit task']],
  [{ ...EMBEDDING, prompt: 'a' }, {}, ['error system-prompt-not-taken prompt.system']],
  [{ ...EMBEDDING, model: 'openai/m' }, {}, ['error endpoint-misfit model.endpoint']],
  [
    { ...EMBEDDING, model: { name: 'openai/m', endpoint: '/v1/embeddings', temperature: 0 } },
    {},
    ['error parameter-not-taken model.temperature'],
  ],
  [
    { ...EMBEDDING, model: { name: 'openai/m', endpoint: '/v1/embeddings', raw: { dimensions: 3 } } },
    {},
    ['error raw-reserved model.raw.dimensions'],
  ],
  [{ ...EMBEDDING, retry: { truncated: { max_tokens: 60 } } }, {}, ['error cap-not-taken retry.truncated']],
  [{ model: { name: 'openai/m', endpoint: '/v1/embeddings' } }, {}, ENDPOINT_AND_SYSTEM],
  [{ retry: { truncated: { max_tokens: 60 } } }, {}, ['error cap-not-higher retry.truncated.max_tokens']],
  [{ retry: { truncated: { max_tokens: 61 } } }, {}, []],
  [{ retry: { max_attempts: 2, invalid_output: 2 } }, {}, ['warning retries-cut retry.invalid_output']],
  [{ budget: { max_items: 10 } }, {}, ['warning canary-is-all budget.max_items']],
  [{}, { budgets: { max_items: 5 } }, ['warning canary-is-all canary.items']],
  [{ budget: { max_items: 10 }, canary: false }, {}, []],
  [{ sla: { deadline: '23h' } }, {}, ['warning deadline-short sla.deadline']],
  [{ sla: { deadline: '24h' } }, {}, []],
  [{ suspend: { reason: 'x', until: '2026-11-30' } }, {}, ['warning suspension-over suspend.until']],
  [{ suspend: { reason: 'x', until: '2026-11-30T09:00:01Z' } }, {}, []],
  [{ suspend: { reason: 'x', until: '2026-02-31' } }, {}, ['error wrong-form suspend.until']],
  [{ suspend: 'x' }, {}, []],
  [{ moved_from: 'ticket-labels' }, {}, ['error moved-from-itself moved_from']],
  [{}, { policy: { never_send: ['ticket_id'] } }, ['warning key-shown input.key.0']],
  [{}, { policy: { never_send: ['ticket_id'] }, report: { keys: 'hashed' } }, []],
];

test.each(CASES)('%j with %j', (change, settings, found) => {
  const notes = ruleNotes({ job: jobOf(change), settings: normaliseSettings(settings), now: NOW });
  expect(notes.map(({ level = 'error', code, path }) => `${level} ${code} ${path.join('.')}`)).toEqual(found);
});

test('the day of a suspension ends where it begins, in UTC', () => {
  const until = (now: string) =>
    ruleNotes({
      job: jobOf({ suspend: { reason: 'x', until: '2026-12-24' } }),
      settings: normaliseSettings({}),
      now: instant(now),
    }).length;
  expect([until('2026-12-23T23:59:59Z'), until('2026-12-24T00:00:00Z')]).toEqual([0, 1]);
});

const COLUMNS: readonly (readonly [
  input: WrittenJob['input'],
  properties: readonly string[],
  found: readonly string[],
])[] = [
  [{ files: 'a', key: 'id', pass: ['lang'] }, ['label'], []],
  [{ files: 'a', key: 'Label' }, ['label'], ['input.key.0']],
  [{ files: 'a', key: 'id', pass: ['lang', 'label'] }, ['label'], ['input.pass.1']],
  [{ files: 'a', key: '_run' }, ['label'], ['input.key.0']],
  [{ files: 'a', key: 'answer' }, ['label'], []],
  [{ files: 'a', key: 'id' }, ['label', '_Hash'], ['output.schema']],
  [{ files: 'a', key: '_retired' }, ['_retired'], ['input.key.0']],
];

test.each(COLUMNS)('columns of the sinks: %j beside %j', (input, properties, found) => {
  const schema = { type: 'object', properties: Object.fromEntries(properties.map((name) => [name, {}])) };
  expect(sinkColumnNotes(jobOf({ input }), schema).map(({ path }) => path.join('.'))).toEqual(found);
});

test('a sink that marks has one column more', () => {
  const input = { files: 'a', key: '_retired' };
  const notes = (onRemoved: 'keep' | 'mark') =>
    sinkColumnNotes(jobOf({ input, sinks: [{ kind: 'csv', on_removed: onRemoved }] }), null);
  expect([notes('keep').length, notes('mark').length]).toEqual([0, 1]);
});

test('a job for free text has one column, answer', () => {
  const job = jobOf({ input: { files: 'a', key: 'answer' }, output: { text: true, max_tokens: 9 } });
  expect(sinkColumnNotes(job, null)).toHaveLength(1);
});

test.each([
  ['two names that differ in case', ['Id', 'ID'], /`Id` and `ID` would be one column/],
  ['no name', [''], /"" cannot name a column/],
  ['a name with U+0000', ['a\u0000'], /"a\\u0000" cannot name a column/],
])('properties that can be no columns are told before anything is paid for: %s', (_name, names, message) => {
  const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
  const notes = sinkColumnNotes(jobOf({}), schema);
  expect(notes.map((note) => note.message)).toEqual([expect.stringMatching(message)]);
});
