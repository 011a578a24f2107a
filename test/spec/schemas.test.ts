import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../runner/ids.ts';
import { JOB_DEFAULTS, normaliseJob } from '../../runner/spec/normalise.ts';
import { normaliseSettings } from '../../runner/spec/normalise-settings.ts';
import { isObject, pointerOf, schemasIn } from '../../runner/spec/schema-walk.ts';
import type { WrittenJob } from '../../runner/spec/written-job.generated.ts';
import type { WrittenSettings } from '../../runner/spec/written-settings.generated.ts';
import { GENERATED, generatedTypes } from '../../scripts/schema-types.ts';
import { NINE_LINES } from '../support/repo.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as JsonObject;

describe.each(GENERATED)('$schema', ({ schema: path, type, file }) => {
  const schema = read(path);
  const fields = [...schemasIn(schema)].filter((each) => each.path.at(-2) === 'properties');

  test('the generated types are fresh (else run `npm run types`)', async () => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toBe(await generatedTypes(path, type));
  });

  test('every field has a description and examples that are valid', () => {
    const ajv = new Ajv({ strict: false });
    for (const { schema: field, path: at } of fields) {
      expect(field.description, pointerOf(at)).toMatch(/\.$/);
      expect(field.examples, pointerOf(at)).toBeInstanceOf(Array);
      for (const example of field.examples as Json[])
        expect(ajv.validate(field, example), pointerOf(at)).toBe(true);
    }
  });

  test('every field that may be left out has a default, or says in words what holds', () => {
    for (const { schema: field, path: at } of fields) {
      const parent = at
        .slice(0, -2)
        .reduce<Json>((inner, step) => (inner as JsonObject)[step] as Json, schema);
      const required = ((parent as JsonObject).required ?? []) as string[];
      const oneOf = (parent as JsonObject).oneOf !== undefined;
      if (required.includes(String(at.at(-1))) || oneOf) continue;
      const told = field.default !== undefined || /Default: /.test(String(field.description));
      expect(told, pointerOf(at)).toBe(true);
    }
  });

  test('every mapping is closed, or says what its values are', () => {
    for (const { schema: each, path: at } of schemasIn(schema)) {
      if (!isObject(each.properties)) continue;
      expect(each.additionalProperties, pointerOf(at)).toBe(false);
    }
  });
});

const LONG_FORM = `
apiVersion: batchwright/v1
name: ticket-labels
owner: support-platform
description: Route every support ticket to one of three queues.
labels: { customer: acme, cost_center: cc-42 }
task: classification
sla: { class: offline, deadline: 3d }
priority: normal
model: { provider: openai, name: gpt-5.4-mini, endpoint: /v1/responses, temperature: 0, reasoning: low, seed: 7,
         raw: { service_tier: default } }
input: { files: [data/tickets/*.parquet], sql: SELECT * FROM input WHERE lang = 'de', key: [ticket_id, part], item_type: ticket,
         pass: [lang], on_bad_row: stop, refresh: on_change }
prompt: { system: ticket-labels/system.hbs, user: ticket-labels/user.hbs }
output: { schema: ticket-label.schema.json, max_tokens: 60 }
sinks: [ { kind: parquet, path: out/ticket-labels.parquet, on_removed: keep } ]
budget: { per_run_usd: 40, per_month_usd: 400, max_items: 200000, approve_above_usd: 20 }
canary: { items: 10, min_valid: 0.9 }
shard: { max_items: 20000, max_in_flight: 10 }
retry: { max_attempts: 3, invalid_output: 1, truncated: { max_tokens: 120 } }
suspend: { reason: "waiting for legal", until: 2026-12-24 }
`;

test.each([
  ['the nine lines', NINE_LINES],
  ['the long form', LONG_FORM],
])('%s are a valid job', (_name, text) => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(
    read('schemas/batchwright/job.schema.json'),
  );
  validate(parse(text));
  expect(validate.errors).toBeNull();
});

test('the defaults that people are told are the defaults that hold', () => {
  const { properties } = read('schemas/batchwright/job.schema.json') as Record<
    string,
    Record<string, JsonObject>
  >;
  const told = (path: string) =>
    path
      .split('.')
      .reduce<Json>((at, step) => (at as JsonObject)[step] as Json, properties as unknown as Json);
  expect(told('sla.properties.deadline.default')).toBe(JOB_DEFAULTS.deadline);
  expect(told('input.properties.item_type.default')).toBe(JOB_DEFAULTS.itemType);
  expect(told('input.properties.on_bad_row.default')).toBe(JOB_DEFAULTS.onBadRow);
  expect(told('input.properties.refresh.default')).toBe(JOB_DEFAULTS.refresh);
  expect(told('canary.default')).toEqual({ items: 10, min_valid: 0.9, via: 'batch' });
  expect(told('shard.properties.max_in_flight.default')).toBe(JOB_DEFAULTS.maxInFlight);
  expect(told('retry.properties.max_attempts.default')).toBe(JOB_DEFAULTS.maxAttempts);
  expect(told('retry.properties.invalid_output.default')).toBe(JOB_DEFAULTS.invalidOutput);
});

test('a job that writes out every default of the schema is the same job', () => {
  const { properties } = read('schemas/batchwright/job.schema.json') as {
    properties: Record<string, JsonObject>;
  };
  const bare = parse(NINE_LINES) as WrittenJob;
  const written = Object.entries(properties).flatMap(([name, field]) =>
    field.default === undefined || name === 'sinks' ? [] : [[name, field.default]],
  );
  const explicit = { ...Object.fromEntries(written), ...bare } as WrittenJob;
  expect(
    normaliseJob(
      explicit,
      'jobs/a.yaml',
      () => true,
      () => '/v1/responses',
    ),
  ).toEqual(
    normaliseJob(
      bare,
      'jobs/a.yaml',
      () => true,
      () => '/v1/responses',
    ),
  );
});

test('settings that write out every default of the schema are the defaults', () => {
  const { properties } = read('schemas/batchwright/settings.schema.json') as {
    properties: Record<string, JsonObject>;
  };
  const written = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, field.default]),
  );
  expect(normaliseSettings(written as WrittenSettings)).toEqual(normaliseSettings({}));
});
