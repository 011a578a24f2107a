import { expect, it } from 'vitest';
import { rowWriter } from '../../bench/rows.ts';

const row = rowWriter(1);
const ROWS = Array.from({ length: 20_000 }, (_, index) => row(index));

it('writes distinct rows of about 820 bytes', () => {
  expect(new Set(ROWS.map((line) => JSON.parse(line).text)).size).toBe(ROWS.length);
  const mean = ROWS.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) / ROWS.length;
  expect(mean).toBeGreaterThan(800);
  expect(mean).toBeLessThan(840);
});

it('writes one in ten with letters beyond ASCII', () => {
  const other = ROWS.filter((line) => Buffer.byteLength(line) > line.length).length;
  expect(other).toBe(ROWS.length / 10);
});

it('writes the same rows for the same seed, and others for another', () => {
  expect(rowWriter(1)(0)).toBe(ROWS[0]);
  expect(rowWriter(2)(0)).not.toBe(ROWS[0]);
});
