import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import { wireId } from '../../runner/ids.ts';
import { type Classified, classify, MISSING } from '../../runner/outcome/classify.ts';
import { type LinesRead, OUTCOME_COLUMNS } from '../../runner/outcome/outcome.ts';
import { decode } from '../../runner/provider/openai/decode.ts';
import { OutcomeWriter } from '../../runner/reconcile/collect/outcomes-file.ts';
import {
  type RawPath,
  type Settled,
  type SettleOrder,
  settleRaw,
} from '../../runner/reconcile/collect/settle.ts';
import { answerLine, errorLine, INTENT, lineOf, writeRaw } from '../support/raw-files.ts';

let duck: Duck;
let work: string;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => duck.close());
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'batchwright-settle-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

interface Row {
  readonly ordinal: number;
  readonly class: string;
  readonly cause: string;
  readonly answer: string | null;
  readonly detail: string | null;
  readonly input_tokens: number | null;
}

function ofLastLook(path: string): RawPath {
  return { path, download: 0, isLast: true };
}

async function settle(
  files: readonly (readonly (string | Uint8Array)[])[],
  changes: Partial<SettleOrder> = {},
): Promise<Settled & { rows: Row[] }> {
  const rawFiles = files.map((lines, at) => ofLastLook(writeRaw(join(work, `raw-${at}.jsonl.zst`), lines)));
  const settled = await settleRaw({
    rawFiles,
    intent: INTENT,
    ordinals: [[0, 3]],
    decode: (line) => decode('/v1/responses', line),
    classify: (reply) => classify(reply, { outputKind: 'json', check: null }),
    absent: () => () => MISSING,
    work,
    ...changes,
  });
  const rows = await duck.rows<Row>(`SELECT * FROM ${sqlText(settled.outcomesPath)} ORDER BY ordinal`);
  return { ...settled, rows };
}

const inShort = (rows: readonly Row[]) =>
  rows.map((row) => `${row.ordinal} ${row.class} ${row.answer ?? '-'}`);
const answers = [0, 1, 2, 3].map((ordinal) => answerLine(ordinal, `{"n":${ordinal}}`));

describe('each ordinal has one row', () => {
  test('B051: answers in one file, errors in the other, in any order', async () => {
    const output = [answers[2], answers[0]] as string[];
    const errors = [errorLine(3, 'batch_expired'), errorLine(1, 'bad', 400)];
    const one = await settle([output, errors]);
    expect(inShort(one.rows)).toEqual(['0 ok {"n":0}', '1 invalid_request -', '2 ok {"n":2}', '3 expired -']);
    expect(one.summary).toEqual({
      counts: { ok: 2, invalid_request: 1, expired: 1 },
      usage: { inputTokens: 200, outputTokens: 20, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      withoutUsage: 0,
      models: { 'm-2026': 2 },
      lines: { own: 4, foreign: 0, unparsed: 0 },
    });
    expect(one.absent.rows).toBe(0);
    const other = await settle([errors.toReversed(), output.toReversed()]);
    expect(other.rows).toEqual(one.rows);
  });

  test('B065: an error in the output file and an answer in the error file are what they are', async () => {
    const { rows } = await settle([[errorLine(0, 'bad', 400)], answers.slice(1)]);
    expect(inShort(rows)).toEqual(['0 invalid_request -', '1 ok {"n":1}', '2 ok {"n":2}', '3 ok {"n":3}']);
  });

  test('B053: no files at all: every row is missing, not done', async () => {
    const { rows, absent, summary } = await settle([]);
    expect(absent).toEqual({ rows: 4, first: [0, 1, 2, 3] });
    expect(rows.map((row) => row.class)).toEqual(['missing', 'missing', 'missing', 'missing']);
    expect(summary).toMatchObject({ counts: { missing: 4 }, withoutUsage: 4 });
  });

  test('B063: what becomes of rows without a line is asked once all lines are read', async () => {
    const absent = (read: LinesRead) => () => ({
      ...MISSING,
      class: 'unreadable' as const,
      cause: `${read.own} read`,
    });
    const { rows, summary } = await settle([answers.slice(0, 1)], { absent });
    expect(inShort(rows).slice(0, 2)).toEqual(['0 ok {"n":0}', '1 unreadable -']);
    expect(rows[1]?.cause).toBe('1 read');
    expect(summary).toMatchObject({ counts: { ok: 1, unreadable: 3 }, withoutUsage: 3 });
  });

  test('a batch that failed as a whole says what its rows are', async () => {
    const unseen = (ordinal: number): Classified => ({
      ...MISSING,
      class: ordinal === 1 ? 'invalid_request' : 'expired',
      cause: 'not run',
    });
    const { rows } = await settle([], { absent: () => unseen });
    expect(inShort(rows)).toEqual(['0 expired -', '1 invalid_request -', '2 expired -', '3 expired -']);
  });

  test('scattered ordinals of a retry', async () => {
    const ordinals = [
      [5, 5],
      [1000, 1001],
      [70_000, 70_000],
    ] as const;
    const { rows, absent } = await settle([[answerLine(1000, '1'), answerLine(5, '2'), answerLine(6, '3')]], {
      ordinals,
    });
    expect(absent).toEqual({ rows: 2, first: [1001, 70_000] });
    expect(inShort(rows)).toEqual(['5 ok 2', '1000 ok 1', '1001 missing -', '70000 missing -']);
  });
});

describe('B062: lines that do not fit', () => {
  test('the same line twice counts once, in one file or in both', async () => {
    const { rows, summary } = await settle([[...answers, answers[1] as string], [answers[2] as string]]);
    expect(inShort(rows)).toEqual(['0 ok {"n":0}', '1 ok {"n":1}', '2 ok {"n":2}', '3 ok {"n":3}']);
    expect(summary).toMatchObject({
      counts: { ok: 4 },
      usage: { inputTokens: 400 },
      lines: { own: 4, foreign: 0 },
    });
  });

  test('different lines for one ordinal are a conflict, and both are paid for', async () => {
    const files = [
      [...answers, answerLine(1, '{"n":"other"}')],
      [errorLine(3, 'server_error', 500), answers[0] as string],
    ];
    const one = await settle(files);
    expect(inShort(one.rows)).toEqual(['0 ok {"n":0}', '1 conflict -', '2 ok {"n":2}', '3 conflict -']);
    expect(one.rows[3]?.detail).toBe('2 different lines for one request: ok, provider_error');
    expect(one.rows.map((row) => row.input_tokens)).toEqual([100, 200, 100, 100]);
    expect(one.summary).toMatchObject({
      counts: { ok: 2, conflict: 2 },
      usage: { inputTokens: 500 },
      models: { 'm-2026': 2 },
    });
    expect(one.wasted.inputTokens).toBe(300);
    const other = await settle(files.toReversed().map((lines) => lines.toReversed()));
    expect(other.rows).toEqual(one.rows);
    expect(other.summary).toEqual(one.summary);
  });

  test('B026: ids of another intent, of nobody, or beyond ours belong to nobody here', async () => {
    const foreign = [
      'r-1',
      wireId('zzzzzzzzzzzzzzzz' as typeof INTENT, 0),
      `${INTENT}_01`,
      `${INTENT}_`,
      wireId(INTENT, 4),
      `${INTENT}_-1`,
      `${INTENT}_ZZ`,
    ];
    const { rows, summary, absent } = await settle([
      [...answers.slice(0, 3), ...foreign.map((id) => lineOf(id, { status_code: 500, body: null }))],
    ]);
    expect(summary.lines).toEqual({ own: 3, foreign: foreign.length, unparsed: 0 });
    expect(absent.rows).toBe(1);
    expect(rows).toHaveLength(4);
  });

  test('a line that cannot be read costs itself and nothing else', async () => {
    const broken = [
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      (answers[3] as string).slice(0, 80),
      '[]',
      '{"custom_id":7}',
      '   ',
    ];
    const { rows, summary } = await settle([
      [broken[0], answers[0], ...broken.slice(1), answers[1], '', answers[2]] as string[],
    ]);
    expect(summary.lines).toEqual({ own: 3, foreign: 0, unparsed: 5 });
    expect(inShort(rows)).toEqual(['0 ok {"n":0}', '1 ok {"n":1}', '2 ok {"n":2}', '3 missing -']);
  });

  test('B029, B027: a byte order mark, CRLF, no last line feed, and characters that other readers cut at', async () => {
    const text = 'a\u2028b\u2029c\u0085d\u000be';
    const lines = [
      `\ufeff${answers[0]}\r`,
      `${answerLine(1, JSON.stringify(text))}\r`,
      answers[2] as string,
      answers[3] as string,
    ];
    writeRaw(join(work, 'odd.zst'), lines, '');
    const { rows } = await settle([], { rawFiles: [ofLastLook(join(work, 'odd.zst'))] });
    expect(rows.map((row) => row.class)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(JSON.parse(rows[1]?.answer ?? '')).toBe(text);
  });
});

describe('several downloads', () => {
  const garbled = (ordinal: number) => lineOf(wireId(INTENT, ordinal), { status_code: 200, body: null });

  async function settleAll(
    downloads: readonly (readonly string[])[],
    changes: Partial<SettleOrder> = {},
  ): Promise<Settled & { rows: Row[] }> {
    const rawFiles = downloads.map((lines, download) => ({
      path: writeRaw(join(work, `look-${download}.jsonl.zst`), lines),
      download,
      isLast: download === downloads.length - 1,
    }));
    return settle([], { rawFiles, ...changes });
  }

  test('what was read once stays, whatever a later download holds', async () => {
    const later = [answerLine(0, '"other"'), errorLine(1, 'server_error', 500), ...answers.slice(2)];
    const { rows, summary } = await settleAll([answers.slice(0, 2), later]);
    expect(inShort(rows)).toEqual(['0 ok {"n":0}', '1 ok {"n":1}', '2 ok {"n":2}', '3 ok {"n":3}']);
    expect(summary.usage.inputTokens).toBe(400);
  });

  test('a line that cannot be understood counts only where no other does, in whichever order they came', async () => {
    const { rows } = await settleAll([
      [garbled(0), ...answers.slice(1, 3)],
      [answers[0] as string, garbled(1), garbled(3)],
    ]);
    expect(inShort(rows)).toEqual(['0 ok {"n":0}', '1 ok {"n":1}', '2 ok {"n":2}', '3 unreadable -']);
    expect(rows[3]?.detail).toBe('a response without a body');
  });

  test('the same within one download: no conflict', async () => {
    const { rows } = await settleAll([[garbled(0), ...answers, garbled(3)]]);
    expect(inShort(rows)).toEqual(['0 ok {"n":0}', '1 ok {"n":1}', '2 ok {"n":2}', '3 ok {"n":3}']);
  });

  test('lines contradict each other within one download alone', async () => {
    const twice = [...answers, answerLine(2, '"other"')];
    const { rows } = await settleAll([answers.slice(0, 1), twice]);
    expect(inShort(rows)).toEqual(['0 ok {"n":0}', '1 ok {"n":1}', '2 conflict -', '3 ok {"n":3}']);
  });

  test('what was read is told of the last look: its lines, and whose they were', async () => {
    const page = ['<html>', 'Bad gateway'];
    const { summary } = await settleAll([
      page,
      [answers[0] as string, lineOf('r-1', { status_code: 200, body: {} })],
    ]);
    expect(summary.lines).toEqual({ own: 1, foreign: 1, unparsed: 0 });
    const other = await settleAll([answers, page]);
    expect(other.summary.lines).toEqual({ own: 0, foreign: 0, unparsed: 2 });
    expect(other.summary.counts).toEqual({ ok: 4 });
  });
});

describe('whatever happens', () => {
  test('B054: a damaged raw file is an error and no outcome', async () => {
    const path = writeRaw(join(work, 'cut.zst'), answers);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 20));
    await expect(settle([], { rawFiles: [ofLastLook(path)] })).rejects.toThrow();
    await writeFile(path, 'not compressed');
    await expect(settle([], { rawFiles: [ofLastLook(path)] })).rejects.toThrow();
    await expect(settle([], { rawFiles: [ofLastLook(join(work, 'absent'))] })).rejects.toThrow('ENOENT');
    expect(await readdir(work)).toEqual(['cut.zst']);
  });

  test('an error of ours ends it at once', async () => {
    const failing = () => {
      throw new RangeError('a mistake');
    };
    await expect(settle([answers], { classify: failing })).rejects.toThrow('a mistake');
  });

  test('only the result is left in the folder', async () => {
    const { outcomesPath } = await settle([answers]);
    expect((await readdir(work)).sort()).toEqual(['outcomes.parquet', 'raw-0.jsonl.zst']);
    expect(outcomesPath).toBe(join(work, 'outcomes.parquet'));
  });

  test('the columns are the published ones, and a folder with a quote in its name is a folder', async () => {
    const odd = join(work, "it's; --");
    await mkdir(odd);
    const { outcomesPath } = await settle([answers], { work: odd });
    const columns = await duck.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE SELECT * FROM ${sqlText(outcomesPath)}`,
    );
    expect(columns.map((column) => column.column_name)).toEqual([...OUTCOME_COLUMNS]);
    expect(columns.map((column) => column.column_type).join(' ')).toBe(
      'INTEGER VARCHAR VARCHAR VARCHAR VARCHAR VARCHAR INTEGER INTEGER INTEGER INTEGER VARCHAR VARCHAR INTEGER',
    );
  });

  test('B055: an answer of twenty megabytes, longer than any buffer, between short ones', async () => {
    const long = 'ß'.repeat(10_000_000);
    const lines = [
      answers[0] as string,
      answerLine(1, JSON.stringify(long)),
      answers[2] as string,
      answers[3] as string,
    ];
    const { rows } = await settle([lines]);
    expect(rows.map((row) => row.answer?.length)).toEqual([7, 10_000_002, 7, 7]);
  });
});

describe('what is written is read back exactly', () => {
  const anyText = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        '\n',
        '\r',
        '\u001a',
        '\u001e',
        '\u001f',
        '"',
        "'",
        ',',
        '\\',
        'S',
        'N',
        '\ufeff',
        '\u2028',
        '\u007f',
        ' ',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  });
  const anyRow = fc.record({
    cause: anyText,
    detail: fc.option(anyText),
    answer: fc.option(anyText.map((text) => JSON.stringify(text))),
    said: fc.option(anyText),
    servedModel: fc.option(anyText),
    responseId: fc.option(anyText),
    tokens: fc.option(fc.nat(2 ** 31 - 1)),
  });

  test('over hostile texts', async () => {
    const rows = fc.sample(anyRow, { numRuns: 3000, seed: 7 });
    const writer = new OutcomeWriter(join(work, 'slot'));
    rows.forEach(({ tokens, ...texts }, ordinal) => {
      const usage =
        tokens === null
          ? null
          : {
              inputTokens: tokens,
              outputTokens: 1,
              cachedTokens: 2,
              cacheWriteTokens: 0,
              reasoningTokens: 3,
            };
      writer.add(ordinal, { ...texts, class: 'ok', usage });
    });
    const path = join(work, 'fuzz.parquet');
    await writer.finish(path);
    await writer.discard();
    // As hex: the binding drops a byte order mark at the start of a string.
    const texts = ['cause', 'detail', 'answer', 'said', 'model', 'response_id'].map(
      (name) => `hex(encode(${name})) AS ${name}`,
    );
    const back = await duck.rows<Record<string, string | number | null>>(
      `SELECT input_tokens, ${texts.join(', ')} FROM ${sqlText(path)} ORDER BY ordinal`,
    );
    const hex = (text: string | null) =>
      text === null ? null : Buffer.from(text).toString('hex').toUpperCase();
    expect(back).toEqual(
      rows.map((row) => ({
        input_tokens: row.tokens,
        cause: hex(row.cause),
        detail: hex(row.detail),
        answer: hex(row.answer),
        said: hex(row.said),
        model: hex(row.servedModel),
        response_id: hex(row.responseId),
      })),
    );
  });

  test('after a restart nothing of the first writing is left', async () => {
    const writer = new OutcomeWriter(join(work, 'slot'));
    for (let ordinal = 0; ordinal < 5000; ordinal += 1)
      writer.add(ordinal, { ...MISSING, detail: 'x'.repeat(400) });
    writer.restart();
    writer.add(7, MISSING);
    await writer.finish(join(work, 'restarted.parquet'));
    await writer.discard();
    expect(await duck.rows(`SELECT ordinal FROM ${sqlText(join(work, 'restarted.parquet'))}`)).toEqual([
      { ordinal: 7 },
    ]);
  });
});
