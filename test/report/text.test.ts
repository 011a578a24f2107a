import { expect, test } from 'vitest';
import { instant } from '../../runner/ids.ts';
import {
  ceiling,
  clockTime,
  count,
  dateTime,
  dayTime,
  deviation,
  duration,
  many,
  percent,
  points,
  tokens,
  usd,
} from '../../runner/report/text.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.each([
  [0, '0'],
  [999, '999'],
  [99_412, '99,412'],
  [12_345_678, '12,345,678'],
])('count %d', (n, text) => expect(count(n)).toBe(text));

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [1_200, '1,200 rows'],
])('many %d', (n, text) => expect(many(n, 'row')).toBe(text));

test.each([
  [null, 'unknown'],
  [0, '$0.00'],
  [28.18, '$28.18'],
  [27.105, '$27.11'],
  [1_234.5, '$1,234.50'],
  [0.2834, '$0.283'],
  [0.3, '$0.30'],
  [0.999_9, '$1.00'],
  [0.04, '$0.04'],
  [0.0371, '$0.037'],
  [0.0042, '$0.0042'],
  [0.000_021, '$0.000021'],
  [0.000_000_4, 'under $0.000001'],
  [-3.5, '\u2212$3.50'],
])('usd %s', (amount, text) => expect(usd(amount)).toBe(text));

test.each([
  [40, '$40'],
  [1_500, '$1,500'],
  [0.5, '$0.50'],
])('ceiling %d', (amount, text) => expect(ceiling(amount)).toBe(text));

test.each([
  [0, 0, '–'],
  [0, 5, '0.0 %'],
  [5, 5, '100.0 %'],
  [99_999, 100_000, '99.9 %'],
  [1, 100_000, 'under 0.1 %'],
  [412, 1_000, '41.2 %'],
])('percent %d of %d', (part, whole, text) => expect(percent(part, whole)).toBe(text));

test.each([
  [41.2, 40.1, '+1.1'],
  [38.9, 39.4, '\u22120.5'],
  [10.04, 10, '0.0'],
])('points %d against %d', (now, before, text) => expect(points(now, before)).toBe(text));

test.each([
  [522, 519, '+0.6 %'],
  [88, 100, '\u221212.0 %'],
  [5, 0, '–'],
])('deviation of %d from %d', (actual, expected, text) => expect(deviation(actual, expected)).toBe(text));

test.each([
  [470, '470'],
  [99_999, '99,999'],
  [523_400, '523 k'],
  [999_600, '1.0 M'],
  [51_900_000, '51.9 M'],
  [1_234_000_000, '1.2 B'],
])('tokens %d', (n, text) => expect(tokens(n)).toBe(text));

test.each([
  [0, '0.0 s'],
  [420, '0.4 s'],
  [38 * SECOND, '38 s'],
  [41 * MINUTE + 50 * SECOND, '41 min'],
  [2 * HOUR + 51 * MINUTE, '2 h 51 min'],
  [24 * HOUR, '24 h'],
  [26 * HOUR + 40 * MINUTE, '26 h 40 min'],
  [99 * HOUR, '4 d 3 h'],
])('duration %d', (ms, text) => expect(duration(ms)).toBe(text));

test('instants in UTC', () => {
  const at = instant('2026-11-25T09:02:11Z');
  expect([dateTime(at), dayTime(at), clockTime(at)]).toEqual(['2026-11-25 09:02', 'Wed 09:02', '09:02:11']);
});
