import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { heldCsv } from '../../runner/report/held.ts';

const ROW = {
  key: 'TK-1',
  class: 'invalid_output',
  cause: '/reason too long',
  detail: null,
  answer: null,
  next: 'review',
} as const;

test('header, CRLF, quotes only where they are needed', () => {
  const row = { ...ROW, detail: 'says "no", twice\nand again', answer: '{"a":1}' };
  expect(heldCsv([ROW, row])).toBe(
    'key,class,cause,detail,answer,next\r\n' +
      'TK-1,invalid_output,/reason too long,,,review\r\n' +
      'TK-1,invalid_output,/reason too long,"says ""no"", twice\nand again","{""a"":1}",review\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '\uff1d1+1', "'=1+1"])(
  'a formula is defused: %j',
  (text) => {
    const [, line = ''] = heldCsv([{ ...ROW, key: text }]).split('\r\n');
    expect(line.replace(/^"/, '')).toMatch(/^'/);
  },
);

test('a long answer is cut', () => {
  const page = heldCsv([{ ...ROW, answer: 'x'.repeat(1_000_000) }]);
  expect(page.length).toBeLessThan(2_200);
});

test('where keys are hidden, so is everything that may quote the row', () => {
  const row = { ...ROW, detail: 'TK-1 is not a date', answer: '{"key":"TK-1"}' };
  expect(heldCsv([row], (key) => `#${key.length}`)).toBe(
    'key,class,cause,detail,answer,next\r\n#4,invalid_output,/reason too long,,,review\r\n',
  );
});

test('another reader reads what was written', async () => {
  const hostile = [
    'a,b',
    'line\r\nbreak',
    ' blank ',
    'quote " here',
    '中文 😀',
    '',
    "'quoted'",
    'a;=1+1',
    '=x',
    "'=x",
  ];
  const path = join(mkdtempSync(join(tmpdir(), 'batchwright-held-')), 'held.csv');
  writeFileSync(path, heldCsv(hostile.map((key) => ({ ...ROW, key }))));
  const duck = await openDuck();
  const rows = await duck.rows<{ key: string | null }>(
    `SELECT key FROM read_csv(${sqlText(path)}, header=true, all_varchar=true, delim=',', quote='"', escape='"')`,
  );
  duck.close();
  // One apostrophe comes off again, whatever it was put in front of.
  expect(rows.map(({ key }) => (key ?? '').replace(/^'/, ''))).toEqual(hostile);
});
