import { describe, expect, test } from 'vitest';
import { findingsOf, freeze } from '../support/rows.ts';

describe('bad rows', () => {
  const mixed = [
    '{"id":"1","body":"ok"}',
    'nope',
    '{"id":"","body":"x"}',
    '{"body":"x"}',
    '{"id":"5","body":[1]}',
    '{"id":"6","body":"ok"}',
  ];
  const files = { 'data.jsonl': mixed.join('\n') };

  test('stop with every reason at once', async () => {
    expect(await findingsOf(freeze({ files }))).toEqual([
      'row-not-json: data.jsonl line 2: is not valid JSON',
      'key-empty: data.jsonl line 3: has an empty "id", which is the key',
      'key-missing: data.jsonl line 4: has no "id", which is the key',
      expect.stringContaining('prompt-failed: data.jsonl line 5: `body` is a list'),
      'bad-rows: 4 of 6 rows cannot be used: 1 key-empty, 1 key-missing, 1 prompt-failed, 1 row-not-json',
    ]);
  });

  test('or are set aside, in their places, with the reason', async () => {
    const { manifest, rows } = await freeze({ files, input: { onBadRow: 'set_aside' } });
    expect(manifest).toMatchObject({ items: 6, setAside: 4 });
    expect(manifest.estimate.requests).toBe(2);
    expect(rows.map((row) => row.problem)).toEqual([
      null,
      'row-not-json',
      'key-empty',
      'key-missing',
      'prompt-failed',
      null,
    ]);
    expect(rows[1]).toMatchObject({
      key: null,
      custom_id: null,
      row: null,
      request_hash: null,
      body: null,
      input_tokens: null,
    });
    expect(rows[1]?.problem_detail).toBe('data.jsonl line 2: is not valid JSON');
    expect(rows[4]).toMatchObject({ key: '5', row: '{"id":"5","body":[1]}' });
  });

  test('twenty are shown, all are counted', async () => {
    const lines = Array.from({ length: 70 }, (_, at) => (at < 50 ? 'nope' : `{"id":"${at}","body":"x"}`));
    const findings = await findingsOf(freeze({ files: { 'data.jsonl': lines.join('\n') } }));
    expect(findings).toHaveLength(21);
    expect(findings.at(-1)).toBe('bad-rows: 50 of 70 rows cannot be used: 50 row-not-json');
  });

  test('all of them are too many for set_aside', async () => {
    const attempt = freeze({ files: { 'data.jsonl': 'nope\nnope\n' }, input: { onBadRow: 'set_aside' } });
    expect((await findingsOf(attempt)).at(-1)).toBe('bad-rows: 2 of 2 rows cannot be used: 2 row-not-json');
  });

  test('the key of a CSV row with a wrong number of fields is kept', async () => {
    const { rows } = await freeze({
      files: { 'data.csv': 'id,body\n1,x,y\n2,ok\n' },
      input: { onBadRow: 'set_aside' },
    });
    expect(rows[0]).toMatchObject({ key: '1', problem: 'csv-fields' });
  });

  test('B030: a request above the limit in bytes, not characters', async () => {
    const emoji = (count: number) => JSON.stringify({ id: `${count}`, body: '😀'.repeat(count) });
    const one = {
      files: { 'data.jsonl': `${emoji(100)}\n${emoji(200)}` },
      options: { maxRequestBytes: 600 },
    };
    expect((await findingsOf(freeze(one)))[0]).toBe(
      'request-too-large: data.jsonl line 2: makes a request of 898 bytes; 600 are allowed',
    );
  });

  test("a prompt above the model's context", async () => {
    const settings = {
      policy: { neverSend: [], allowedRoots: [] },
      models: { 'openai/gpt-5.4-mini': { price: null, batchFactor: null, contextTokens: 100 } },
    };
    const line = (words: number) => JSON.stringify({ id: `${words}`, body: 'word '.repeat(words) });
    const one = { files: { 'data.jsonl': `${line(80)}\n${line(120)}` }, options: { settings } };
    expect((await findingsOf(freeze(one)))[0]).toBe(
      'prompt-too-long: data.jsonl line 2: makes a prompt of 133 tokens; the model takes 100',
    );
  });
});
