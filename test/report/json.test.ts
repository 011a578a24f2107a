import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { DISPOSITIONS } from '../../runner/outcome/disposition.ts';
import { OUTCOME_CLASSES } from '../../runner/outcome/outcome.ts';
import { fleetJson, planJson, statusJson } from '../../runner/report/json.ts';
import { CONDITIONS, PHASES } from '../../runner/report/report.ts';
import { HOSTILE_TEXTS, withHostile } from '../support/hostile.ts';
import { newRunAction, newRunView, planView, rest } from '../support/plan-values.ts';
import {
  canaryReport,
  completeReport,
  emulatorReport,
  failedCanaryReport,
  fleetReport,
  noCapacityReport,
  plannedReport,
  stalledReport,
  underWayReport,
} from '../support/report-values.ts';

const schemaFile = new URL('../../schemas/batchwright/status.schema.json', import.meta.url);
const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as JsonObject;
const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const validate = ajv.compile(schema);

function expectValid(status: JsonObject): void {
  const written: unknown = JSON.parse(JSON.stringify(status));
  expect(validate(written) ? [] : validate.errors).toEqual([]);
}

const REPORTS = {
  complete: completeReport(),
  'under way': underWayReport(),
  canary: canaryReport(),
  stalled: stalledReport(),
  'failed canary': failedCanaryReport(),
  'no capacity': noCapacityReport(),
  emulator: emulatorReport(),
  planned: plannedReport(),
};

describe('status.json holds to its schema', () => {
  test.each(Object.entries(REPORTS))('%s', (_name, report) => expectValid(statusJson(report)));

  test('whatever the texts are', () => {
    let next = 0;
    const text = () => HOSTILE_TEXTS[next++ % HOSTILE_TEXTS.length] ?? '';
    for (const report of Object.values(REPORTS)) {
      const hostile = withHostile(report, text);
      const conditions = hostile.conditions.map((condition) => ({ ...condition, reason: 'Reason' }));
      const journal = hostile.journal ?? null;
      expectValid(statusJson({ ...hostile, conditions, journal }));
    }
  });
});

test('the schema knows every word that the code can write, and describes every field', () => {
  const text = JSON.stringify(schema);
  for (const word of [...PHASES, ...CONDITIONS, ...DISPOSITIONS, ...OUTCOME_CLASSES]) {
    expect(text).toContain(`"${word}"`);
  }
  expect(undescribed(schema, '')).toEqual([]);
});

function undescribed(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties } = value as { properties?: Record<string, { description?: string }> };
  const missing = Object.entries(properties ?? {})
    .filter(([, property]) => property.description === undefined)
    .map(([name]) => `${path}/${name}`);
  return [
    ...missing,
    ...Object.entries(value).flatMap(([name, inner]) => undescribed(inner, `${path}/${name}`)),
  ];
}

test('no key, no answer and no row text is in it', () => {
  const text = JSON.stringify(statusJson(completeReport()));
  expect(text).not.toContain('TK-2026');
  expect(text).not.toContain('Charged twice');
});

test('the tripwire is there before the first run, and comes from the run afterwards', () => {
  expect(statusJson(plannedReport()).journal).toMatchObject({ seq: 2 });
  expect(statusJson(completeReport()).journal).toMatchObject({ seq: 61 });
  expect(statusJson({ ...plannedReport(), journal: null }).journal).toBeNull();
});

test('the fleet is its jobs', () => {
  const fleet = fleetJson(fleetReport(3));
  expect(fleet).toMatchObject({ format: 'batchwright/fleet/v1', broken: [{ file: 'jobs/crm/clean.yaml' }] });
  for (const job of fleet.jobs as JsonObject[]) expectValid(job);
});

test('a plan: summary, actions, what rests, sizes; no rendered prompt', () => {
  const run = newRunView();
  const plan = planJson(
    planView({
      plan: { actions: [newRunAction(run, 'prompt changed')], rests: [rest('other', 'idle', 'done')] },
      newRuns: [run],
    }),
  );
  expect(plan).toMatchObject({
    format: 'batchwright/plan/v1',
    nothing_to_do: false,
    summary: { new_runs: 1, blocked: 0, requests: 90_100, reused: 9_900, estimated_usd: 24.43 },
    actions: [{ kind: 'new_run', job: 'ticket-labels', forced_by: ['prompt'] }],
    rests: [{ job: 'other', kind: 'idle' }],
  });
  expect(JSON.stringify(plan)).not.toContain('Charged twice');
});
