import { expect, it } from 'vitest';
import { cronGapMs } from '../../runner/doctor/cron.ts';

it.each([
  ['7,27,47 * * * *', 20],
  ['*/15 * * * *', 15],
  ['13 * * * *', 60],
  ['5 3 * * *', 24 * 60],
  ['5 3,15 * * 1', 12 * 60],
  ['10-50/20 * * * *', 20],
  ['nonsense', 24 * 60],
])('%s leaves at most %d minutes', (line, minutes) => {
  expect(cronGapMs(line) / 60_000).toBe(minutes);
});
