import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { shortDigestOf } from '../../runner/ids.ts';
import { MANIFEST_COLUMNS } from '../../runner/manifest/manifest.ts';
import { freezeIn, MODEL } from '../support/freeze.ts';
import { findingsOf, folderWith, freeze } from '../support/rows.ts';

const TWO = { 'data.jsonl': '{"id":"T-1","body":"a"}\n{"id":"T-2","body":"bb"}\n' };

describe('a manifest', () => {
  test('has each row, its request, and ids and hashes that follow from them', async () => {
    const { manifest, rows } = await freeze({ files: TWO });
    expect(manifest).toMatchObject({
      items: 2,
      setAside: 0,
      columns: ['id', 'body'],
      findings: [],
      problems: {},
    });
    const [first] = rows;
    const body =
      '{"model":"gpt-5.4-mini","max_output_tokens":50,"input":[{"role":"user","content":"Label this: a"}]}';
    const inputHash = shortDigestOf('{"id":"T-1","body":"a"}');
    expect(first).toMatchObject({
      ordinal: 0,
      key: 'T-1',
      custom_id: `labels:ticket:T-1:${inputHash.slice(0, 8)}`,
      input_hash: inputHash,
      request_hash: shortDigestOf(`${MODEL.endpoint}\n${body}`),
      row: '{"id":"T-1","body":"a"}',
      body,
      body_bytes: body.length,
      problem: null,
      problem_detail: null,
    });
  });

  test('has exactly the published columns', async () => {
    const { manifest } = await freeze({ files: TWO });
    const duck = await openDuck();
    const columns = await duck.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE FROM read_parquet(${sqlText(manifest.parts[0]?.path ?? '')})`,
    );
    duck.close();
    expect(columns.map((column) => column.column_name)).toEqual([...MANIFEST_COLUMNS]);
    expect(
      Object.fromEntries(columns.map((column) => [column.column_name, column.column_type])),
    ).toMatchObject({
      ordinal: 'INTEGER',
      frozen: 'VARCHAR[]',
      body_bytes: 'INTEGER',
    });
  });

  test('leaves nothing in the work folder but its parts, and replaces an older draft', async () => {
    const root = await folderWith(TWO);
    await freezeIn(root, { files: TWO });
    const { manifest } = await freezeIn(root, { files: TWO, user: 'Other: {{body}}' });
    expect(await readdir(join(root, '.work'), { recursive: true })).toEqual([
      'manifest',
      'manifest/part-00000.parquet',
    ]);
    expect(manifest.parts[0]?.bytes).toBeGreaterThan(0);
  });

  test('depends on key, row and request alone; not on where the file is', async () => {
    const { manifest } = await freeze({ files: TWO });
    expect((await freeze({ files: { 'x/y.jsonl': TWO['data.jsonl'] } })).manifest.digest).toBe(
      manifest.digest,
    );
    expect((await freeze({ files: TWO, user: 'Other: {{body}}' })).manifest.digest).not.toBe(manifest.digest);
    expect((await freeze({ files: TWO, input: { key: ['body'] } })).manifest.digest).not.toBe(
      manifest.digest,
    );
  });

  test('of an input without rows is empty and can be read as a table', async () => {
    const { manifest, rows } = await freeze({ files: { 'data.csv': 'id,body\n' } });
    expect(manifest).toMatchObject({ items: 0, setAside: 0, samples: [] });
    expect(rows).toEqual([]);
  });

  test('shows the shortest, the median and the longest request', async () => {
    const lines = [30, 10, 50, 20, 40].map((length) => `{"id":"${length}","body":"${'x'.repeat(length)}"}`);
    const { manifest } = await freeze({ files: { 'data.jsonl': lines.join('\n') }, system: 'Be brief.' });
    expect(manifest.samples.map((sample) => sample.key)).toEqual(['10', '30', '50']);
    expect(manifest.samples[0]?.messages).toEqual({
      system: 'Be brief.',
      user: `Label this: ${'x'.repeat(10)}`,
    });
  });

  test('goes into several parts when it is long', async () => {
    const lines = Array.from(
      { length: 45 },
      (_, at) => `{"id":"${at}","body":"${'x'.repeat(500_000 + at)}"}`,
    );
    const { manifest, rows } = await freeze({ files: { 'data.jsonl': lines.join('\n') } });
    expect(manifest.parts.length).toBeGreaterThan(1);
    expect(rows.map((row) => row.ordinal)).toEqual(lines.map((_, at) => at));
    expect(rows.every((row) => row.row === lines[row.ordinal])).toBe(true);
  });
});

describe('keys', () => {
  const twice = '{"id":"T-1","body":"a"}\n{"id":"T-2","body":"x"}\n{"id":"T-1","body":"b"}\n';

  test('B015, B026: the same key twice stops, with both lines', async () => {
    expect(await findingsOf(freeze({ files: { 'data.jsonl': twice } }))).toEqual([
      'duplicate-key: data.jsonl line 3: has the key "T-1", which data.jsonl line 1 has already',
      'bad-rows: 1 of 3 rows cannot be used: 1 duplicate-key',
    ]);
  });

  test('B015: with set_aside the first is sent, the later one is set aside', async () => {
    const { manifest, rows } = await freeze({
      files: { 'data.jsonl': twice },
      input: { onBadRow: 'set_aside' },
    });
    expect(manifest).toMatchObject({ items: 3, setAside: 1, problems: { 'duplicate-key': 1 } });
    expect(rows.map((row) => row.problem)).toEqual([null, null, 'duplicate-key']);
    expect(rows[2]).toMatchObject({
      key: 'T-1',
      request_hash: null,
      body: null,
      row: '{"id":"T-1","body":"b"}',
    });
  });

  test('across files too, and equal rows are no exception', async () => {
    const files = { 'a.csv': 'id,body\n1,x\n', 'b.csv': 'id,body\n1,x\n' };
    const [finding] = await findingsOf(freeze({ files }));
    expect(finding).toBe('duplicate-key: b.csv line 2: has the key "1", which a.csv line 2 has already');
  });

  test('a bad row does not take a key', async () => {
    const files = { 'data.jsonl': '{"id":"1","body":{}}\n{"id":"1","body":"x"}\n' };
    const { rows } = await freeze({ files, input: { onBadRow: 'set_aside' } });
    expect(rows.map((row) => row.problem)).toEqual(['prompt-failed', null]);
  });

  test('B006, B025: texts that look alike are different keys', async () => {
    const keys = [
      '1',
      '1.0',
      '01',
      ' 1',
      '1 ',
      '1e0',
      'a',
      'A',
      'é',
      'e\u0301',
      'x'.repeat(70),
      `${'x'.repeat(69)}y`,
    ];
    const { rows } = await freeze({
      files: { 'data.csv': `id,body\n${keys.map((key) => `${key},t`).join('\n')}\n` },
    });
    expect(rows.map((row) => row.key)).toEqual(keys);
    expect(new Set(rows.map((row) => row.custom_id)).size).toBe(keys.length);
  });

  test('B024: any printable text is a key, since it never becomes a wire id', async () => {
    const key = 'https://ex.test/orders/2024/ü?a=1&b="2":😀/'.repeat(3);
    const { rows } = await freeze({ files: { 'data.jsonl': JSON.stringify({ id: key, body: 't' }) } });
    expect(rows[0]?.key).toBe(key);
    expect(rows[0]?.custom_id).toBe(`labels:ticket:${key}:${rows[0]?.input_hash.slice(0, 8)}`);
  });
});

describe('columns', () => {
  test('B018: a name that no row has is a finding with the nearest one; one that some rows have is not', async () => {
    const files = { 'data.jsonl': '{"id":"1","body":"x"}\n{"id":"2","body":"y","note":"late"}\n' };
    expect(await findingsOf(freeze({ files, user: '{{boody}} {{note}}' }))).toEqual([
      'unknown-column: `boody` is not a column of the input.',
    ]);
    const { rows } = await freeze({ files, user: '[{{note}}]' });
    expect(rows.map((row) => JSON.parse(row.body ?? '').input[0].content)).toEqual(['[]', '[late]']);
  });

  test('key and pass are looked at as well', async () => {
    const one = { files: TWO, input: { key: ['ID'], pass: ['lang'] } };
    expect(await findingsOf(freeze(one))).toEqual([
      'unknown-column: input.key: the input has no column `ID`',
      'unknown-column: input.pass: the input has no column `lang`',
    ]);
  });

  const heldBack = { settings: { models: {}, policy: { neverSend: ['email'], allowedRoots: [] } } };
  const people = { 'data.jsonl': '{"id":"1","email":"ada@example.com","body":"x"}\n' };

  test('one that the settings hold back cannot be asked for', async () => {
    const one = { files: people, user: '{{email}}', options: heldBack };
    expect(await findingsOf(freeze(one))).toEqual([
      'never-send: `email` may not be sent: policy.never_send in the settings names it',
    ]);
  });

  test('nor does it travel with the row as a whole; the manifest keeps it for the sinks', async () => {
    const { rows } = await freeze({ files: people, user: '{{json this}}', options: heldBack });
    expect(rows[0]?.body).not.toContain('ada@');
    expect(rows[0]?.row).toContain('ada@');
  });
});

describe('what reaches the request', () => {
  test('B021: template syntax in a row is text', async () => {
    const body = 'Q: {{env.API_KEY}} {{> secret}} {{{id}}} \\{{x}}';
    const { rows } = await freeze({
      files: { 'data.jsonl': JSON.stringify({ id: '1', body }) },
      user: '{{body}}',
    });
    expect(JSON.parse(rows[0]?.body ?? '').input[0].content).toBe(body);
  });

  test('B027: line separators are escaped, whoever encodes', async () => {
    const body = 'a\u2028b\u2029c';
    const one = { files: { 'data.jsonl': JSON.stringify({ id: '1', body }) }, user: '{{body}}' };
    for (const encode of [undefined, (messages: unknown) => JSON.stringify(messages)]) {
      const { rows } = await freeze(encode === undefined ? one : { ...one, encode });
      expect(rows[0]?.body).toContain(String.raw`a\u2028b\u2029c`);
      expect(rows[0]?.row).toContain(body);
    }
  });

  test('numbers as the source has them', async () => {
    const line = '{"id":9007199254740993,"body":1.10,"more":{"n":1e5}}';
    const { rows } = await freeze({ files: { 'data.jsonl': line }, user: '{{id}} {{body}} {{json more}}' });
    expect(JSON.parse(rows[0]?.body ?? '').input[0].content).toBe('9007199254740993 1.10 {"n":1e5}');
    expect(rows[0]).toMatchObject({ key: '9007199254740993', row: line });
  });

  test('only what was digested: a file that changed meanwhile ends it', async () => {
    const root = await folderWith(TWO);
    const digests = {
      digest: shortDigestOf(''),
      files: 1,
      bytes: 0,
      list: [{ path: 'data.jsonl', stamp: 'other' }],
    };
    const options = { digests: digests as never };
    expect(await findingsOf(freezeIn(root, { files: TWO, options }))).toEqual([
      'input-changed: the input changed while it was being read: data.jsonl',
    ]);
    expect(await readdir(join(root, '.work'))).toEqual(['manifest']);
  });
});

test('a run of one row has its money estimated', async () => {
  const price = {
    inputUsdPerMtok: 1,
    outputUsdPerMtok: 10,
    batchFactor: 0.5,
    longContext: null,
    pricesOf: '2026-11-24',
  };
  const { manifest } = await freeze({ files: { 'a.csv': 'id,body\n1,x\n' }, options: { price } });
  const { estimate } = manifest;
  expect(estimate).toMatchObject({
    requests: 1,
    outputTokens: 25,
    outputTokensCap: 50,
    pricesOf: '2026-11-24',
  });
  expect(estimate.usd).toBeCloseTo((estimate.inputTokens + 250) / 2e6, 12);
  expect(estimate.ceilingUsd).toBeGreaterThan((estimate.inputTokens + 500) / 2e6);
});
