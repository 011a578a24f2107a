import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../fake/clock.ts';
import { findViolations } from './proof.ts';
import type { Schedule } from './schedule.ts';
import { walkThrough } from './walk.ts';

const NO_CANARY = 'canary: false\n';
const once = { as: 'applied', creates: 1 } as const;

/** Schedules that bought twice before they were found. */
const schedules: Schedule[] = [
  {
    name: 'a completed batch of one row that names no file for an hour is not bought again',
    provider: 'openai',
    rows: 1,
    days: 1,
    job: NO_CANARY,
    lies: [{ on: 'poll', what: { kind: 'no_results' }, until: HOUR }],
    ends: once,
  },
  {
    name: 'a file that was listed longer than it came is cut, although its length is not told at the next look',
    provider: 'openai',
    days: 1,
    job: NO_CANARY,
    lies: [
      {
        on: 'download',
        what: { kind: 'missing_lines', count: 1 },
        afterEnd: { from: 0, until: 45 * MINUTE },
      },
      { on: 'file', what: { kind: 'status', code: 500 }, from: 19 * MINUTE, until: HOUR },
    ],
    ends: once,
  },
  {
    name: 'a row that was missing and turns up while another of its batch cannot be read',
    provider: 'openai',
    days: 3,
    job: NO_CANARY,
    planFor: (nth) => (nth === 1 ? { end: { as: 'expired', ran: 5 }, windowMs: HOUR } : undefined),
    lies: [
      { on: 'row', what: { kind: 'row_error', error: 'server' }, times: 1 },
      {
        on: 'poll',
        what: { kind: 'counts', tale: 'low' },
        batch: 1,
        afterEnd: { from: 0, until: 45 * MINUTE },
      },
      {
        on: 'download',
        what: { kind: 'missing_lines', count: 1 },
        batch: 1,
        part: 'output',
        afterEnd: { from: 0, until: 45 * MINUTE },
      },
      {
        on: 'download',
        what: { kind: 'strange_content', content: 'null' },
        batch: 1,
        part: 'error',
        afterEnd: { from: 0, until: 45 * MINUTE },
      },
    ],
    ends: { as: 'told' },
    rebuys: ['missing', 'duplicate'],
  },
];

test.each(schedules.map((each): [string, Schedule] => [each.name, each]))(
  '%s',
  async (_, schedule) => {
    const walk = await walkThrough(schedule);
    expect(await findViolations(walk, schedule)).toEqual([]);
  },
  180_000,
);
