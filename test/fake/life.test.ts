import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from './clock.ts';
import { drawTimeline, type End, findRunTime, type Phase, readPhase, USUAL_PLAN } from './life.ts';

const FAILED: End = { as: 'failed', code: 'token_limit_exceeded', message: 'Enqueued token limit reached.' };

it.each<[string, End, number | null, [number, Phase][], number]>([
  [
    'completes',
    { as: 'completed' },
    null,
    [
      [0, 'validating'],
      [1, 'running'],
      [9.9, 'running'],
      [10, 'finalizing'],
      [11, 'completed'],
    ],
    10,
  ],
  [
    'fails',
    FAILED,
    null,
    [
      [0.9, 'validating'],
      [1, 'failed'],
    ],
    0,
  ],
  [
    'expires',
    { as: 'expired', ran: 4 },
    null,
    [
      [500, 'running'],
      [1440, 'expired'],
    ],
    4,
  ],
  [
    'is cancelled by somebody',
    { as: 'cancelled', ran: 4 },
    null,
    [
      [10.9, 'finalizing'],
      [11, 'cancelling'],
      [13, 'cancelled'],
    ],
    4,
  ],
  [
    'is cancelled by its owner',
    { as: 'completed' },
    5.5,
    [
      [5.4, 'running'],
      [5.5, 'cancelling'],
      [7.5, 'cancelled'],
    ],
    5,
  ],
  [
    'is cancelled before it ran',
    { as: 'completed' },
    0.5,
    [
      [0.5, 'cancelling'],
      [2.5, 'cancelled'],
    ],
    0,
  ],
  ['is cancelled too late', { as: 'completed' }, 11, [[11, 'completed']], 10],
])('a batch that %s', (_name, end, cancelled, phases, ran) => {
  const line = drawTimeline(0, { ...USUAL_PLAN, end }, cancelled === null ? null : cancelled * MINUTE);
  expect(phases.map(([at]) => [at, readPhase(line, at * MINUTE)])).toEqual(phases);
  const times = Array.from({ length: 10 }, (_, index) => findRunTime(line, index, 10));
  expect(times.filter((at) => at !== null)).toHaveLength(ran);
});

it('a batch that is too slow for its window expires with what has run', () => {
  const line = drawTimeline(0, { ...USUAL_PLAN, runMs: 48 * HOUR }, null);
  expect([line.last, line.endedAt]).toEqual(['expired', DAY]);
  expect(findRunTime(line, 4, 10)).not.toBeNull();
  expect(findRunTime(line, 6, 10)).toBeNull();
});
