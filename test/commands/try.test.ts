import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { runTry, type TryOptions } from '../../runner/commands/try.ts';
import { repository, type World, world } from '../support/world.ts';

async function shown(w: World, more: Partial<TryOptions> = {}): Promise<{ code: number; text: string }> {
  let text = '';
  const out = (part: string) => {
    text += part;
  };
  const options = {
    root: w.root,
    json: false,
    color: false,
    job: 'tickets',
    rows: '2',
    maxUsd: null,
    keys: [],
  };
  return { code: await runTry({ ...options, out, ...more }), text };
}

test('answers stand beside those of the last run', async () => {
  const w = await world(repository());
  await w.finish();
  const first = await shown(w);
  expect(first.code).toBe(0);
  expect(first.text).toContain('tickets: 2 rows asked of openai/gpt-5.4-mini at /v1/responses');
  expect(first.text.match(/ok, as in run 1/g)).toHaveLength(2);
  await w.write({ 'prompts/tickets/user.hbs': 'Which part of it? {{text}}\n' });
  const edited = await shown(w, { rows: null });
  expect(edited.text).toContain('ok, other than in run 1');
  expect(edited.text).toMatch(/ {2}now {4}\{"label":.*\n {2}run 1 {2}\{"label":/);
  expect(edited.text).toContain('Nothing was applied');
});

test('--json follows its schema', async () => {
  const w = await world(repository(), { rules: [{ on: 'ask', nth: 2, do: { reset: true } }] });
  const path = join(import.meta.dirname, '../../schemas/batchwright/try.schema.json');
  const validate = new Ajv({ strict: false }).compile(JSON.parse(await readFile(path, 'utf8')));
  const document = JSON.parse((await shown(w, { json: true, rows: '3' })).text);
  validate(document);
  expect(validate.errors).toBeNull();
  expect(document.rows.map(({ state }: { state: string }) => state).toSorted()).toEqual([
    'answered',
    'answered',
    'lost',
  ]);
});

test('a key that is refused is told, and the exit code says that nothing was answered', async () => {
  const w = await world(repository(), { rules: [{ on: 'ask', do: { reset: true } }] });
  const { code, text } = await shown(w);
  expect(code).toBe(1);
  expect(text).toContain('its answer was lost');
  expect(text).toContain('not asked, since the first one was turned away');
});

test.each([
  [{ rows: '0' }, 'from 1 to 20'],
  [{ rows: 'many' }, 'from 1 to 20'],
  [{ rows: '21' }, 'at most 20 rows'],
  [{ maxUsd: 'much' }, '--max-usd'],
  [{ job: 'tikets' }, 'tikets'],
  [{ rehearsal: true }, 'no --rehearsal'],
  [{ keys: Array.from({ length: 21 }, String) }, 'at most 20 rows'],
])('%j is refused', async (more, says) => {
  const w = await world(repository());
  await expect(shown(w, more)).rejects.toThrow(says);
  expect(await w.paid()).toEqual([]);
});
