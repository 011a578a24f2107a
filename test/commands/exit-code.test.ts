import { describe, expect, it } from 'vitest';
import { exitCode } from '../../runner/commands/exit-code.ts';
import { jobName } from '../../runner/ids.ts';
import type { Rest } from '../../runner/plan/action.ts';
import type { Condition, JobReport, Phase } from '../../runner/report/report.ts';

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

describe('what has happened to files and disks is told, whatever was asked', () => {
  const done = result(['complete', 'complete']);
  const held = (reason: string) => ({ ...done, rests: [{ job: A, kind: 'blocked', reason } as Rest] });
  const damage = { type: 'Stalled', status: 'True', reason: 'FilesDamaged' } as Condition;
  const seen = {
    ...done,
    fleet: { jobs: done.fleet.jobs.map((job) => ({ ...job, conditions: [damage] })), broken: [] },
  };

  it.each([
    ['damaged files', held('FilesDamaged'), 4],
    ['damaged files that only the page has met', seen, 4],
    ['damaged files, and pages that are nowhere', { ...held('FilesDamaged'), published: false }, 4],
    ['a full disk', held('NoRoom'), 1],
  ])('%s', (_what, passes, expected) => {
    for (const strict of [true, false]) expect(exitCode(passes, { strict, only: null })).toBe(expected);
  });

  it('but not that of jobs that were not asked for', () => {
    const [, other] = seen.fleet.jobs;
    if (other === undefined) throw new Error('two jobs');
    const fleet = { jobs: [...done.fleet.jobs.slice(0, 1), other], broken: [] };
    expect(exitCode({ ...done, fleet }, { strict: true, only: new Set([A]) })).toBe(0);
    expect(exitCode({ ...done, fleet }, { strict: true, only: new Set([B]) })).toBe(4);
  });
});
