import { describe, expect, it } from 'vitest';
import { clockVerdict } from '../../runner/doctor/clock.ts';
import { branchVerdict, scheduleVerdict } from '../../runner/doctor/host.ts';
import { instant } from '../../runner/ids.ts';

const NOW = instant('2026-11-30T12:00:00.000Z');

describe('the clock beside a provider’s', () => {
  it.each([
    ['2026-11-30T12:00:20.000Z', 'good', 'agree'],
    ['2026-11-30T11:30:00.000Z', 'doubtful', '1,800 s ahead of'],
    ['2026-11-30T12:01:00.000Z', 'doubtful', '60 s behind'],
  ])('%s is %s', (theirs, state, words) => {
    const verdict = clockVerdict(NOW, instant(theirs));
    expect(verdict.state).toBe(state);
    expect(verdict.message).toContain(words);
  });

  it('is not judged where the provider does not tell the time', () => {
    expect(clockVerdict(NOW, null).state).toBe('skipped');
  });
});

describe('a schedule', () => {
  const hourly = ['13 * * * *', '5 3 * * *'];
  it.each([
    [null, true, 'good'],
    ['2026-11-28T20:00:00.000Z', false, 'good'],
    ['2026-11-30T10:00:00.000Z', true, 'good'],
    ['2026-11-28T20:00:00.000Z', true, 'doubtful'],
  ])('last written %s, under way %s: %s', (last, underWay, state) => {
    expect(scheduleVerdict(hourly, last === null ? null : instant(last), underWay, NOW).state).toBe(state);
  });
});

it('a branch that anyone may push to is doubtful', () => {
  expect(branchVerdict('main', true).state).toBe('good');
  expect(branchVerdict('main', false)).toMatchObject({
    state: 'doubtful',
    next: expect.stringContaining('review'),
  });
});
