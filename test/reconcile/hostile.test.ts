import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../runner/emulator/scenario.ts';
import { digestOf } from '../../runner/ids.ts';
import type { Endpoint } from '../../runner/spec/job.ts';
import { csvCells } from '../support/csv-cells.ts';
import { call } from '../support/emulator.ts';
import { HOSTILE_TEXTS } from '../support/hostile.ts';
import { answered, saying } from '../support/lines.ts';
import { outsideCode } from '../support/markdown-scan.ts';
import { readBack } from '../support/sink-rows.ts';
import { lines, repository, type World, world } from '../support/world.ts';

/** Texts that a source, a prompt, an answer and a sink can hold: they must come out as they went in. */
const TEXTS = [
  ...HOSTILE_TEXTS.filter((text) => text.isWellFormed() && !text.includes('\u0000')),
  '__proto__',
  'constructor',
  "'; DROP TABLE manifest; --",
  '{{text}} {{> secret}} {{{constructor}}} {{#each this}}',
  '\ufeffbyte order mark',
  'lines\u2028and\u2029and\u0085and\u000band\r\nand\nend\n',
  '\u0001\u001a\u001b\u001e\u001f\u007f',
  '\u202eright to left\u202c and 👩‍👩‍👧‍👦 and 𠜎 and e\u0301',
  '=HYPERLINK("http://x.test","y")',
  '+1',
  '-1+cmd|calc',
  '\t=1',
  'NULL',
  '\\N',
  ' blanks ',
  'a,b;c|d"e\'f',
  '{"custom_id":"x"}\n{"custom_id":"y"}',
  'long '.repeat(200_000),
];

/** What JSON can say and no sink can hold. */
const UNSTORABLE = ['nul \u0000 in it', 'half \ud83d a pair'];

const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NULL',
  ' ',
  "'; DROP TABLE manifest; --",
  '=1+1',
  '@SUM(A1)',
  '{{text}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '| a | b |',
  '\u202egnirts',
  '👩‍👩‍👧‍👦',
  '𠜎',
  'e\u0301',
  '\u00e9',
  'a,b"c\'d;e',
  '::error::x',
  '1e5',
  '100000',
];

const ODD = 'it\'s "odd", {{x}}; --';

interface Source {
  readonly id: string;
  readonly text: string;
}

/** Columns named like what every object has, and one named like nothing on earth. */
function sourceRow({ id, text }: Source): object {
  return Object.fromEntries([
    ['id', id],
    ['text', text],
    ['constructor', text],
    ['__proto__', text],
    [ODD, text],
  ]);
}

/** The same for the answer's properties. */
const NAMES = ['note', 'toString', 'an "odd", {{x}} one\\'] as const;

const SCHEMA = JSON.stringify({
  type: 'object',
  additionalProperties: false,
  required: NAMES,
  properties: Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }])),
});

function answerOf(text: string): string {
  return JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, text])));
}

const KINDS = ['parquet', 'jsonl', 'csv'] as const;

function repositoryOf(endpoint: Endpoint, rows: readonly Source[], more = ''): Record<string, string> {
  const sinks = KINDS.map((kind) => ({ kind, path: `out/tickets.${kind}` }));
  return {
    ...repository(),
    'jobs/tickets.yaml': `apiVersion: batchwright/v1
name: tickets
owner: ${JSON.stringify('<script>alert(1)</script> @everyone')}
description: ${JSON.stringify('::error::gotcha | `x` \u202e')}
labels: ${JSON.stringify({ constructor: '=1+1', customer: '[click](javascript:alert(1))' })}
model: { provider: openai, name: gpt-5.4-mini, endpoint: ${endpoint} }
input: { files: data/tickets.jsonl, key: id, pass: ${JSON.stringify(['text', 'constructor', '__proto__', ODD])}, on_bad_row: set_aside }
prompt: tickets
output: { schema: label.schema.json, max_tokens: 4000 }
canary: false
sinks: ${JSON.stringify(sinks)}
${more}`,
    'prompts/tickets/user.hbs': `<{{text}}|{{constructor}}|{{[__proto__]}}|{{[${ODD}]}}>`,
    'schemas/label.schema.json': SCHEMA,
    'data/tickets.jsonl': lines(rows.map(sourceRow)),
  };
}

function answering(endpoint: Endpoint, texts: readonly string[]): Rule[] {
  return texts.map((text, at) => ({
    on: 'line',
    line: at + 1,
    do: { text: answered(saying(endpoint, answerOf(text))) },
  }));
}

/** The prompts as they stood on the wire, in the order of the rows. */
async function sentPrompts(w: World): Promise<string[]> {
  const [intent] = Object.values((await w.journal()).intents);
  const file = await call(w.emulator, 'GET', `/files/${intent?.fileId}/content`);
  const sent = (await file.text()).split('\n').slice(0, -1);
  return sent.map((line) => {
    const { body } = JSON.parse(line);
    return (body.input ?? body.messages).at(-1).content;
  });
}

/** Long texts by their length and digest, so that a difference can be read. */
function inShort(texts: readonly (string | null)[]): (string | null)[] {
  return texts.map((text) =>
    text === null || text.length < 200 ? text : `${text.length} ${digestOf(text).slice(0, 8)}`,
  );
}

/** As the list for people has it: cut, and without the byte order mark that DuckDB's Node binding drops. */
function asHeld(text: string): string {
  const line = text.replace(/^\ufeff/, '');
  return line.length <= 2000 ? line : `${line.slice(0, 1999)}…`;
}

/** A CSV file by a reader of its own: DuckDB's has a limit for lines. */
async function cellsOf(path: string, columns: readonly string[]): Promise<(string | null)[][]> {
  if (!path.endsWith('.csv')) return readBack(path, columns);
  const [head = [], ...rows] = csvCells(await readFile(path, 'utf8'));
  return rows.map((row) => columns.map((name) => row[head.indexOf(name)] ?? null));
}

async function pages(w: World): Promise<Record<'page' | 'run' | 'held' | 'status' | 'fleet', string>> {
  const read = (path: string) => readFile(join(w.root, 'state', path), 'utf8');
  return {
    page: await read('tickets/README.md'),
    run: await read('tickets/runs/1/report.md'),
    held: await read('tickets/held.csv'),
    status: await read('tickets/status.json'),
    fleet: await read('README.md'),
  };
}

/** Controls, direction, zero width: what would act without being seen. Line feeds are the page's own. */
const UNSEEN = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function expectHarmless(markdown: string): void {
  expect(UNSEEN.exec(markdown)?.[0]).toBeUndefined();
  const acting = outsideCode(markdown);
  expect(acting).not.toMatch(/<script|<img|<!--|@everyone|^::|##\[|(?<!\\)\]\(\w+:/im);
}

it('key columns and labels may be named as what every object has', async () => {
  const rows = ['a', 'b'].map((id) =>
    Object.fromEntries([
      ['__proto__', id],
      ['valueOf', 'v'],
      ['text', `Ticket ${id}`],
    ]),
  );
  const files = repository('labels: { "__proto__": "x", "constructor": "y" }\n', rows);
  const job = (files['jobs/tickets.yaml'] as string).replace('key: id', 'key: [__proto__, valueOf]');
  const w = await world({ ...files, 'jobs/tickets.yaml': job });
  const { jobs } = await w.finish();
  expect(Object.entries(jobs[0]?.labels ?? {})).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
  expect(await readBack(join(w.root, 'out/tickets.parquet'), ['__proto__', 'valueOf'])).toEqual([
    ['a', 'v'],
    ['b', 'v'],
  ]);
});

it('properties of any name are counted in the report', async () => {
  const names = ['a "quoted" \\ one', 'dots.and[0]', "it's", '$', '*', '/~1', 'constructor', 'ends\\'];
  const kind = { type: 'string', enum: ['wheel', 'frame'] };
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, kind])),
  };
  const answer = JSON.stringify(Object.fromEntries(names.map((name) => [name, 'wheel'])));
  const w = await world(
    { ...repository(), 'schemas/label.schema.json': JSON.stringify(schema) },
    { rules: [{ on: 'line', do: { text: answered(saying('/v1/responses', answer)) } }] },
  );
  const { jobs } = await w.finish();
  expect(jobs[0]?.run?.answers?.fields).toMatchObject(
    names.map((name) => ({ name, values: [{ value: 'wheel', count: 8 }] })),
  );
  const { page, run } = await pages(w);
  for (const markdown of [page, run]) expectHarmless(markdown);
});

/** Those of OpenAI that answer in words. */
const ENDPOINTS = ['/v1/responses', '/v1/chat/completions'] as const satisfies readonly Endpoint[];

describe.each(ENDPOINTS)('%s: hostile texts', (endpoint) => {
  it('go from the source to the wire and into every sink as they are', async () => {
    const rows = TEXTS.map((text, at) => ({ id: `T-${at}`, text }));
    const w = await world(repositoryOf(endpoint, rows), { rules: answering(endpoint, TEXTS) });
    await w.pass();
    expect(inShort(await sentPrompts(w))).toEqual(
      inShort(TEXTS.map((text) => `<${text}|${text}|${text}|${text}>`)),
    );
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: TEXTS.length });
    const columns = ['text', 'constructor', '__proto__', ODD, ...NAMES];
    for (const kind of KINDS) {
      const found = await cellsOf(join(w.root, `out/tickets.${kind}`), ['id', ...columns]);
      expect(found.map(inShort), kind).toEqual(
        rows.map(({ id, text }) => inShort([id, ...columns.map(() => text)])),
      );
    }
    const written = await pages(w);
    for (const page of [written.page, written.run, written.fleet]) expectHarmless(page);
    expect(JSON.parse(written.status)).toMatchObject({ labels: { constructor: '=1+1' } });
  });

  it('that are no answers stand escaped in every list for people', async () => {
    const rows = TEXTS.map((text, at) => ({ id: `T-${at}`, text }));
    const said = [...TEXTS.slice(0, -2), ...UNSTORABLE];
    const broken = said.map((text, at) => (at < TEXTS.length - 2 ? `${text}{"` : answerOf(text)));
    const w = await world(repositoryOf(endpoint, rows, 'retry: { invalid_output: 0 }'), {
      rules: broken.map((text, at) => ({
        on: 'line',
        line: at + 1,
        do: { text: answered(saying(endpoint, text)) },
      })),
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ held: TEXTS.length });
    const written = await pages(w);
    for (const page of [written.page, written.run, written.fleet]) expectHarmless(page);
    const [head = [], ...held] = csvCells(written.held);
    const column = (name: string) => held.map((row) => row[head.indexOf(name)] ?? '');
    expect(column('key')).toEqual(rows.map(({ id }) => id));
    for (const cell of held.flat()) expect(cell ?? '').not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    const shown = column('answer').map((answer) => answer.replace(/^'/, ''));
    expect(inShort(shown.slice(0, -2))).toEqual(inShort(broken.slice(0, -2).map(asHeld)));
    expect(column('cause').slice(-2)).toEqual(UNSTORABLE.map(() => 'text that cannot be stored'));
  });

  it('in keys are keys, and those that nobody can tell apart are set aside', async () => {
    const keys = [...KEYS, 'k'.repeat(1_000_000)];
    const bad = ['line\nbreak', 'nul\u0000', 'sep\u2028', '\ufeffbom', 'esc\u001b', ''];
    const rows = [...keys, ...bad].map((id) => ({ id, text: 'x' }));
    const w = await world(repositoryOf(endpoint, rows));
    const { jobs } = await w.finish();
    const { applied = 0, reused = 0, set_aside } = jobs[0]?.run?.books.dispositions ?? {};
    expect([applied + reused, set_aside]).toEqual([keys.length, bad.length]);
    for (const kind of KINDS) {
      const found = await cellsOf(join(w.root, `out/tickets.${kind}`), ['id']);
      expect(inShort(found.flat()), kind).toEqual(inShort(keys));
    }
    const written = await pages(w);
    for (const page of [written.page, written.run, written.fleet]) expectHarmless(page);
    const held = csvCells(written.held).slice(1);
    expect(held.map((row) => row[0])).toEqual(bad.map((_, at) => `row ${keys.length + at + 1}`));
    expect(written.status).not.toContain('DROP TABLE');
  });
});
