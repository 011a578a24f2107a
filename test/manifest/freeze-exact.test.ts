import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shortDigestOf } from '../../runner/ids.ts';
import { testFolder } from '../support/folder.ts';
import { MODEL } from '../support/freeze.ts';
import { freeze } from '../support/rows.ts';

describe('what is read back is what was frozen', () => {
  /** Characters that separate, quote or end something in one of the formats on the way. */
  const awkward = fc.constantFrom(
    '\u001f',
    '\u001e',
    '\n',
    '\r',
    '\t',
    '\0',
    '"',
    "'",
    '\\',
    ',',
    ';',
    '\u2028',
    '\ufeff',
    '😀',
    'é',
    ' ',
    'a',
  );
  const text = fc.string({ unit: awkward, maxLength: 12 });
  const printable = fc.string({
    unit: fc.constantFrom('"', "'", '\\', ',', ';', '😀', 'é', ' ', 'a', '%', '{{', '}}', ':'),
    minLength: 1,
    maxLength: 12,
  });
  const rows = fc.uniqueArray(fc.record({ id: printable, body: text, deep: fc.record({ t: text }) }), {
    selector: (row) => row.id,
    minLength: 1,
    maxLength: 40,
  });

  test('any keys and texts', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const lines = written.map((row) => JSON.stringify(row));
        const frozen = await freeze({
          files: { 'data.jsonl': `${lines.join('\n')}\n` },
          user: '{{body}}|{{deep.t}}',
        });
        expect(frozen.rows.map((row) => row.key)).toEqual(written.map((row) => row.id));
        expect(frozen.rows.map((row) => row.row)).toEqual(lines);
        for (const [at, row] of frozen.rows.entries()) {
          const { body, deep } = written[at] ?? { body: '', deep: { t: '' } };
          expect(JSON.parse(row.body ?? '').input[0].content).toBe(`${body}|${deep.t}`);
          expect(row.input_hash).toBe(shortDigestOf(lines[at] ?? ''));
          expect(row.request_hash).toBe(shortDigestOf(`${MODEL.endpoint}\n${row.body}`));
          expect(row.body_bytes).toBe(Buffer.byteLength(row.body ?? ''));
        }
      }),
      { numRuns: 25 },
    );
  });

  test('a row of 15 MB among small ones', async () => {
    const lines = [
      '{"id":"a","body":"x"}',
      JSON.stringify({ id: 'b', body: 'é"'.repeat(3_700_000) }),
      '{"id":"c","body":"y"}',
    ];
    const { rows: frozen } = await freeze({ files: { 'data.jsonl': lines.join('\n') } });
    expect(frozen.map((row) => row.row === lines[row.ordinal])).toEqual([true, true, true]);
  });
});

test('B013: the same manifest in every time zone and locale', async () => {
  const program = join(import.meta.dirname, '../fixtures/manifest/freeze-dates.ts');
  const printed = new Set<string>();
  for (const [zone, locale] of ZONES) {
    const env = { ...process.env, TZ: zone, LANG: locale, LC_ALL: locale };
    const options = { env, timeout: 50_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [program, await testFolder()], options);
    printed.add(stdout);
  }
  expect([...printed]).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}\n2024-01-01 2024-01-01T00:30:00Z 00:30 \d+\n$/),
  ]);
});

const ZONES = [
  ['UTC', 'C'],
  ['America/New_York', 'de_DE.UTF-8'],
  ['Asia/Kolkata', 'tr_TR.UTF-8'],
];
