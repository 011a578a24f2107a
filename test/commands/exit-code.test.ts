import { expect, it } from 'vitest';
import { exitCode } from '../../runner/commands/exit-code.ts';
import { jobName } from '../../runner/ids.ts';
import type { Rest } from '../../runner/plan/action.ts';
import type { JobReport, Phase } from '../../runner/report/report.ts';

const A = jobName('a');
const B = jobName('b');

function result(phases: readonly [Phase, Phase], gated: readonly ('a' | 'b')[] = []) {
  const jobs = [A, B].map((job, at) => ({ job, phase: phases[at], conditions: [] }) as unknown as JobReport);
  const rests = gated.map((job) => ({ job: jobName(job), reason: 'BudgetExceeded' }) as Rest);
  return { fleet: { jobs, broken: [] }, rests, published: true };
}

it.each([
  ['all is done', result(['complete', 'complete']), 0],
  ['work is under way', result(['sent', 'complete']), 0],
  ['a job has failures', result(['complete', 'complete with failures']), 5],
  ['a job stalled', result(['stalled', 'complete']), 5],
  ['a gate holds one back', result(['stalled', 'complete'], ['a']), 3],
  ['one is held back and another failed', result(['stalled', 'stalled'], ['a']), 5],
])('--strict where %s: %#', (_what, passes, expected) => {
  expect(exitCode(passes, { strict: true, only: null })).toBe(expected);
  expect(exitCode(passes, { strict: false, only: null })).toBe(0);
});

it('judges the jobs that were named, and no others', () => {
  const failed = result(['complete', 'complete with failures']);
  expect(exitCode(failed, { strict: true, only: new Set([A]) })).toBe(0);
  expect(exitCode(failed, { strict: true, only: new Set([B]) })).toBe(5);
});

it('calls a broken file, and pages that are nowhere, an error whatever was asked', () => {
  const done = result(['complete', 'complete']);
  const broken = { ...done, fleet: { ...done.fleet, broken: [{ file: 'jobs/c.yaml', message: '' }] } };
  for (const strict of [true, false]) {
    expect(exitCode(broken, { strict, only: null })).toBe(1);
    expect(exitCode({ ...done, published: false }, { strict, only: null })).toBe(1);
  }
});
