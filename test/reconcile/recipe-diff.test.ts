import { describe, expect, it } from 'vitest';
import { digestOf } from '../../runner/ids.ts';
import type { RunState } from '../../runner/journal/state.ts';
import { fieldChanges, type MadeRun, recipeDiff } from '../../runner/reconcile/inspect/recipe-diff.ts';
import type { Recipe } from '../../runner/reconcile/recipe.ts';
import { DEFINES, frozen, JOB, SOURCE, START } from '../support/journal.ts';

const text = (path: string, content: string) => ({ path, text: content, digest: digestOf(content) });

const RECIPE: Recipe = {
  format: 1,
  prompts: { system: null, user: text('tickets/user.hbs', 'a\nb\nb\n'), partials: {} },
  schema: { value: {}, sent: { type: 'object', properties: { label: { enum: ['x', 'y'] } } } },
};

function made(changes: Partial<MadeRun> = {}): MadeRun {
  const { type: _, ...run } = frozen();
  return {
    run: { ...run, frozenAt: START, intents: [], applied: {}, pardons: [] } satisfies RunState,
    generation: {
      generation: 1,
      digest: digestOf('1'),
      defines: DEFINES,
      source: SOURCE,
      commit: null,
      at: START,
    },
    recipe: RECIPE,
    ...changes,
  };
}

const defines = (changes: Partial<typeof DEFINES>) => ({
  ...made().generation,
  defines: { ...DEFINES, ...changes },
});

describe('what makes a run', () => {
  it('is the same where all digests are', () => {
    const run = { ...made().run, spec: { ...JOB, input: { ...JOB.input, pass: ['lang'] } } };
    expect(recipeDiff(made(), made({ run }))).toEqual([]);
  });

  it('of the model: each field that differs', () => {
    const run = {
      ...made().run,
      spec: { ...JOB, model: { ...JOB.model, temperature: 0.2, raw: { service_tier: 'flex' } } },
    };
    const after = made({ run, generation: defines({ model: digestOf('other') }) });
    expect(recipeDiff(made(), after)).toEqual([
      {
        part: 'model',
        before: DEFINES.model,
        after: digestOf('other'),
        fields: [
          { path: '/temperature', before: null, after: 0.2 },
          { path: '/raw/service_tier', before: undefined, after: 'flex' },
        ],
        texts: [],
      },
    ]);
  });

  it('of the prompts: each file, with the lines that only one side has', () => {
    const prompts = {
      system: text('tickets/system.hbs', 'be brief\n'),
      user: text('tickets/user.hbs', 'b\na\nc\nd'),
      partials: {},
    };
    const after = made({
      recipe: { ...RECIPE, prompts },
      generation: defines({ prompt: digestOf('other') }),
    });
    const [part] = recipeDiff(made(), after);
    expect(part?.texts).toMatchObject([
      { role: 'user', linesGone: 1, linesNew: 2 },
      { role: 'system', before: null, after: { path: 'tickets/system.hbs' }, linesGone: 0, linesNew: 1 },
    ]);
  });

  it('of the schema: each value that differs, lists as one', () => {
    const sent = { type: 'object', properties: { label: { enum: ['x', 'z'] } } };
    const after = made({
      recipe: { ...RECIPE, schema: { value: {}, sent } },
      generation: defines({ schema: digestOf('other') }),
    });
    expect(recipeDiff(made(), after)[0]?.fields).toEqual([
      { path: '/properties/label/enum', before: ['x', 'y'], after: ['x', 'z'] },
    ]);
  });

  it('names source files and account', () => {
    const source = { ...SOURCE, digest: digestOf('new rows') };
    const run = { ...made().run, account: 'openai/other' as RunState['account'] };
    const after = made({ run, generation: { ...made().generation, source } });
    expect(recipeDiff(made(), after).map(({ part, after: to }) => [part, to])).toEqual([
      ['source files', source.digest],
      ['account', 'openai/other'],
    ]);
  });
});

it.each([
  { what: 'nothing', before: { a: [1, { b: 2 }] }, after: { a: [1, { b: 2 }] }, paths: [] },
  { what: 'the order of names', before: { a: 1, b: 2 }, after: { b: 2, a: 1 }, paths: [] },
  { what: 'a name of a prototype', before: {}, after: JSON.parse('{"__proto__":1}'), paths: ['/__proto__'] },
  { what: 'an inherited name', before: {}, after: { constructor: 1 }, paths: ['/constructor'] },
  { what: 'a name to escape', before: { 'a/b~': 1 }, after: { 'a/b~': 2 }, paths: ['/a~1b~0'] },
  { what: 'an object and a list', before: { a: {} }, after: { a: [] }, paths: ['/a'] },
  { what: 'one side without', before: undefined, after: { a: 1 }, paths: [''] },
])('fields that differ: $what', ({ before, after, paths }) => {
  expect(fieldChanges(before, after).map(({ path }) => path)).toEqual(paths);
});
