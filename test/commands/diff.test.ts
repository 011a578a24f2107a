import { describe, expect, it } from 'vitest';
import { runDiff } from '../../runner/commands/diff.ts';
import { UserError } from '../../runner/errors.ts';
import { copiesOf, documentOf, printed } from '../support/reading.ts';
import { lines, repository, TICKETS, world } from '../support/world.ts';

interface Diffed {
  readonly format: string;
  readonly recipe: readonly { readonly part: string }[];
  readonly answers: {
    readonly both: number;
    readonly changed: number;
    readonly properties: readonly {
      readonly property: string;
      readonly changed: number;
      readonly moves: readonly { readonly before: string; readonly after: string; readonly count: number }[];
    }[];
    readonly rows: readonly { readonly key: string; readonly before: string; readonly after: string }[];
  };
}

const diff = (root: string, before = '1', after = '2') =>
  printed(root, (common) => runDiff({ ...common, job: 'tickets', before, after }));

async function diffed(root: string, before = '1', after = '2'): Promise<Diffed> {
  const { document } = await documentOf<Diffed>(root, (common) =>
    runDiff({ ...common, job: 'tickets', before, after }),
  );
  return document;
}

const MANY = Array.from({ length: 40 }, (_, at) => ({ id: `T-${at}`, text: `Ticket ${at} is open` }));

/** Run 2 asks with another prompt, a cap of another size, without T-0 and with a new row; one row fails in run 2. */
const copy = copiesOf(async () => {
  const w = await world(repository('', MANY), {
    rules: [{ on: 'line', batch: 2, line: 1, do: { answer: 'refusal' } }],
  });
  await w.finish();
  const files = repository();
  await w.write({
    'prompts/tickets/user.hbs': 'Read this ticket and label it.\n\n{{text}}\n',
    'jobs/tickets.yaml': files['jobs/tickets.yaml']?.replace('max_tokens: 200', 'max_tokens: 300') ?? '',
    'data/tickets.jsonl': lines([...MANY.slice(1), { id: 'T-new', text: 'The bell is mute' }]),
  });
  await w.finish();
  return w;
});

describe('diff', () => {
  it('says what was asked otherwise', async () => {
    const { format, recipe } = await diffed(await copy());
    expect(format).toBe('batchwright/diff/v1');
    expect(recipe).toMatchObject([
      {
        part: 'prompt',
        texts: [{ role: 'user', before: { path: 'prompts/tickets/user.hbs' }, lines_gone: 1, lines_new: 3 }],
      },
      { part: 'output', fields: [{ path: '/max_tokens', before: [200], after: [300] }] },
      { part: 'source files', fields: [], texts: [] },
    ]);
  });

  it('counts keys in both and in one only, and says why', async () => {
    const { answers } = await diffed(await copy());
    expect(answers).toMatchObject({
      both: 38,
      only_before: 2,
      only_before_gone: 1,
      only_after: 1,
      only_after_gone: 1,
    });
  });

  it('counts changed answers by property, with the moves of those that have few values', async () => {
    const { answers } = await diffed(await copy());
    expect(answers.changed).toBeGreaterThan(20);
    const [label, sure] = answers.properties;
    expect([label?.property, sure?.property]).toEqual(['label', 'sure']);
    for (const property of answers.properties) {
      const moved = property.moves.reduce((sum, move) => sum + move.count, 0);
      expect(moved).toBe(property.changed);
    }
    expect(new Set(sure?.moves.map(({ before, after }) => `${before} ${after}`))).toEqual(
      new Set(['true false', 'false true']),
    );
  });

  it('shows the first twenty changed rows in the order of the manifest', async () => {
    const { answers } = await diffed(await copy());
    expect(answers.rows).toHaveLength(20);
    const places = answers.rows.map(({ key }) => Number(key.slice(2)));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    for (const { before, after } of answers.rows) expect(before).not.toBe(after);
  });

  it('is the same backwards', async () => {
    const root = await copy();
    const [forth, back] = [await diffed(root), await diffed(root, '2', '1')];
    expect(back.answers).toMatchObject({
      both: forth.answers.both,
      changed: forth.answers.changed,
      only_before: 1,
      only_after: 2,
    });
  });

  it('of a run with itself is empty', async () => {
    const { recipe, answers } = await diffed(await copy(), '2', '2');
    expect({ recipe, answers }).toEqual({
      recipe: [],
      answers: {
        both: 39,
        changed: 0,
        only_before: 0,
        only_before_gone: 0,
        only_after: 0,
        only_after_gone: 0,
        properties: [],
        rows: [],
      },
    });
  });

  it('prints both', async () => {
    const { text } = await diff(await copy());
    expect(text).toMatch(/^tickets: run 1 → run 2\n {2}run 1 {2}.* 40 rows .* new job\n {2}run 2 /);
    expect(text).toMatch(/Recipe\n {2}prompt {2}[0-9a-f]{8} → [0-9a-f]{8}\n/);
    expect(text).toMatch(/ {4}user prompts\/tickets\/user\.hbs: \w{8} → \w{8}, 1 line gone, 3 lines new\n/);
    expect(text).toMatch(/ {4}\/max_tokens: 200 → 300\n/);
    expect(text).toMatch(/Answers\n {2}38 keys answered in both, \d+ of them differently \(\d+\.\d %\)\n/);
    expect(text).toContain(
      '2 keys answered in run 1 only: 1 not in the input of run 2, 1 without an answer there\n',
    );
    expect(text).toMatch(
      /The first 20 of \d+ changed rows\n {2}T-\d+\n {4}(label: \w+ → \w+|sure: \w+ → \w+)\n/,
    );
  });
});

describe('diff of other answers', () => {
  it('compares free text whole', async () => {
    const files = repository();
    const job = files['jobs/tickets.yaml']?.replace('schema: label.schema.json', 'text: true') ?? '';
    const w = await world({ ...files, 'jobs/tickets.yaml': job });
    await w.finish();
    await w.write({ 'prompts/tickets/user.hbs': 'Sum this up: {{text}}\n' });
    await w.finish();
    await w.restart();
    const { answers } = await diffed(w.root);
    expect(answers).toMatchObject({ both: TICKETS.length, properties: [] });
    expect(answers.rows).toHaveLength(answers.changed);
  });

  it.each([['3'], ['0'], ['one'], ['01']])('knows no run %s', async (run) => {
    const error = await diff(await copy(), '1', run).catch((thrown: unknown) => thrown);
    expect((error as UserError).findings[0]).toMatchObject({
      code: 'unknown-run',
      hint: 'its runs are 1 to 2',
    });
  });

  it('knows no other job', async () => {
    const error = await printed(await copy(), (common) =>
      runDiff({ ...common, job: 'constructor', before: '1', after: '2' }),
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).findings[0]?.code).toBe('unknown-job');
  });
});
