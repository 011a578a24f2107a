import { expect, test } from 'vitest';
import { createClock, MANUAL_START } from '../../runner/emulator/clock.ts';

test('a manual clock stands until it is told', () => {
  const clock = createClock({ mode: 'manual' });
  expect(clock.now()).toBe(MANUAL_START);
  clock.advance(1500);
  expect(clock.now()).toBe(MANUAL_START + 1500);
  clock.set('2027-01-01T00:00:00Z');
  expect(new Date(clock.now()).toISOString()).toBe('2027-01-01T00:00:00.000Z');
});

test('a real clock runs along from where it is set', () => {
  const clock = createClock({ mode: 'real' });
  const before = Date.now();
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  clock.advance(86_400_000);
  expect(clock.now()).toBeGreaterThanOrEqual(before + 86_400_000);
  expect(clock.now()).toBeLessThan(before + 86_400_000 + 10_000);
});

test('who sleeps wakes when the time has come, and not before', async () => {
  const clock = createClock({ mode: 'manual' });
  let awake = false;
  const sleep = clock.sleep(1000).then(() => {
    awake = true;
  });
  clock.advance(999);
  await Promise.resolve();
  expect(awake).toBe(false);
  clock.advance(1);
  await sleep;
  expect(awake).toBe(true);
});

test('a stopped clock lets go of everybody', async () => {
  const clock = createClock({ mode: 'real' });
  const sleep = clock.sleep(86_400_000);
  clock.stop();
  await expect(sleep).resolves.toBeUndefined();
});

test('it says where it was moved to', () => {
  const seen: number[] = [];
  const clock = createClock({ mode: 'manual', at: 0 }, (value) => seen.push(value));
  clock.advance(5);
  clock.set(100);
  expect(seen).toEqual([5, 100]);
});

test.each([Number.NaN, 'tomorrow'])('refuses %s', (moment) => {
  expect(() => createClock({ mode: 'manual', at: moment })).toThrow(RangeError);
});
