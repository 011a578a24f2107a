import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duck, openDuck } from '../../runner/duck.ts';
import type { JsonObject } from '../../runner/ids.ts';
import { contentOf, emptyFolder, readBack, sinkAt } from '../support/sink-rows.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { whole: { type: ['integer', 'null'] }, real: { type: ['number', 'null'] } },
};

let duck: Duck;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => duck.close());

async function fileOf(kind: 'jsonl' | 'csv', answers: readonly string[]): Promise<string[]> {
  const path = join(emptyFolder(), `out.${kind}`);
  const rows = answers.map((rawJson, at) => ({ key: [`k${at}`], answer: { rawJson } }));
  await sinkAt(path).write(contentOf(duck, rows, SCHEMA));
  return readFileSync(path, 'utf8').split(/\r?\n/).slice(0, -1);
}

/** Answer, and its cells as both kinds of text have written them from the first version on. */
const ORDINARY: readonly (readonly [answer: string, csv: string, jsonl: string])[] = [
  ['{"whole":1.0,"real":1.0}', '1,1.0', '"whole":1,"real":1.0'],
  ['{"whole":1e2,"real":1e2}', '100,100.0', '"whole":100,"real":100.0'],
  ['{"whole":-0,"real":-0}', '0,0.0', '"whole":0,"real":0'],
  ['{"whole":-0.0,"real":-0.0}', '0,-0.0', '"whole":0,"real":-0.0'],
  [
    '{"whole":9223372036854775807,"real":0.1}',
    '9223372036854775807,0.1',
    '"whole":9223372036854775807,"real":0.1',
  ],
  [
    '{"whole":-9223372036854775808,"real":12345}',
    '-9223372036854775808,12345.0',
    '"whole":-9223372036854775808,"real":12345',
  ],
  ['{"whole":null,"real":null}', ',', '"whole":null,"real":null'],
  ['{}', ',', '"whole":null,"real":null'],
  ['{"real":1e308}', ',1e+308', '"whole":null,"real":1e308'],
  ['{"real":1152921504606847000}', ',1.152921504606847e+18', '"whole":null,"real":1152921504606847000'],
  ['{"real":1e21}', ',1e+21', '"whole":null,"real":1e21'],
  ['{"real":5e-324}', ',5e-324', '"whole":null,"real":5e-324'],
  ['{"real":1e-7}', ',1e-07', '"whole":null,"real":1e-7'],
  ['{"real":0.1234567890123456789}', ',0.12345678901234568', '"whole":null,"real":0.12345678901234568'],
  ['{"real":100000000000000000000}', ',1e+20', '"whole":null,"real":100000000000000000000'],
  ['{"real":-1.5e3}', ',-1500.0', '"whole":null,"real":-1500.0'],
];

/** What no column of 64 bits holds, and text does. */
const LONG: readonly (readonly [answer: string, csv: string, jsonl: string])[] = [
  ['{"whole":98765432109876543210}', '98765432109876543210,', '"whole":98765432109876543210,"real":null'],
  ['{"whole":-9223372036854775809}', '-9223372036854775809,', '"whole":-9223372036854775809,"real":null'],
  ['{"whole":18446744073709551616}', '18446744073709551616,', '"whole":18446744073709551616,"real":null'],
  ['{"whole":1e21}', '1000000000000000000000,', '"whole":1000000000000000000000,"real":null'],
  ['{"whole":-1.5e39}', `-15${'0'.repeat(38)},`, `"whole":-15${'0'.repeat(38)},"real":null`],
  ['{"whole":1e308}', `1${'0'.repeat(308)},`, `"whole":1${'0'.repeat(308)},"real":null`],
  [`{"whole":${'7'.repeat(300)}}`, `${'7'.repeat(300)},`, `"whole":${'7'.repeat(300)},"real":null`],
  ['{"real":9007199254740993}', ',9007199254740993', '"whole":null,"real":9007199254740993'],
  [
    '{"real":12345678901234567890123}',
    ',12345678901234567890123',
    '"whole":null,"real":12345678901234567890123',
  ],
];

describe.each([
  ['ordinary numbers stand as they always did', ORDINARY],
  ['long ones keep every digit', LONG],
])('%s', (_name, cases) => {
  it('in csv', async () => {
    const [, ...lines] = await fileOf(
      'csv',
      cases.map(([answer]) => answer),
    );
    expect(lines.map((line) => line.split(',').slice(1, 3).join())).toEqual(cases.map(([, csv]) => csv));
  });

  it('in jsonl', async () => {
    const lines = await fileOf(
      'jsonl',
      cases.map(([answer]) => answer),
    );
    const wanted = cases.map(([, , jsonl], at) => `{"id":"k${at}",${jsonl},"_run"`);
    expect(lines.map((line) => line.slice(0, line.indexOf('"_run"') + 6))).toEqual(wanted);
  });
});

it('as typed columns: what a 64-bit column holds of 1.0, 1e2 and -0', async () => {
  const path = join(emptyFolder(), 'out.parquet');
  const rows = ['{"whole":1.0,"real":1.0}', '{"whole":1e2,"real":1e2}', '{"whole":-0,"real":1e308}'];
  await sinkAt(path).write(
    contentOf(
      duck,
      rows.map((rawJson, at) => ({ key: [`k${at}`], answer: { rawJson } })),
      SCHEMA,
    ),
  );
  expect(await readBack(path, ['whole', 'real'])).toEqual([
    ['1', '1.0'],
    ['100', '100.0'],
    ['0', '1e+308'],
  ]);
});

it.each(['jsonl', 'csv'] as const)('%s takes no fraction for a whole number', async (kind) => {
  await expect(fileOf(kind, ['{"whole":1.5}'])).rejects.toThrow(
    /column `whole` is for whole numbers, but .* has "1.5"/,
  );
});
