import { existsSync } from 'node:fs';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classesOf } from '../support/outcome-rows.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const DAY_MS = 86_400_000;
const ALL = TICKETS.length;

async function books(w: World) {
  return (await w.report()).run?.books;
}

describe('a schedule that stopped for a while', () => {
  it('B090: goes on after four weeks as if nothing had happened', async () => {
    const w = await world();
    await w.pass();
    await w.restart();
    w.emulator.clock.advance(28 * DAY_MS);
    await w.finish();
    expect(await books(w)).toMatchObject({ dispositions: { applied: ALL }, batches: 1 });
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('B059, B090: after five weeks the results are gone: that is said, and nothing is bought again', async () => {
    const w = await world();
    await w.pass();
    await w.restart();
    w.emulator.clock.advance(35 * DAY_MS);
    for (let day = 0; day < 3; day += 1) {
      await w.pass();
      w.emulator.clock.advance(DAY_MS);
    }
    const said = w.said.filter(({ level }) => level === 'error').map(({ text }) => text);
    expect(said.join()).toMatch(
      /batch_\w+: the provider keeps its results no longer; answers that were not read are lost/,
    );
    expect(await books(w)).toMatchObject({ dispositions: { held: ALL }, batches: 1 });
    expect(await w.paid()).toHaveLength(ALL);
  });
});

describe('B085: a ledger that was damaged', () => {
  const path = 'state/tickets/ledger.duckdb';
  const damages: readonly (readonly [string, (file: string) => Promise<void>])[] = [
    ['lost', (file) => rm(file)],
    ['empty', (file) => truncate(file, 0)],
    ['cut', (file) => truncate(file, 20_000)],
    ['no database', (file) => writeFile(file, 'not a database')],
    [
      'flipped in the middle',
      async (file) => {
        const bytes = await readFile(file);
        bytes.fill(0xa5, bytes.length >> 1, (bytes.length >> 1) + 64);
        await writeFile(file, bytes);
      },
    ],
    [
      'beside a journal of changes that is not its own',
      (file) => writeFile(`${file}.wal`, Buffer.alloc(5_000, 7)),
    ],
  ];
  it.each(damages)('%s: it is made again, and nothing is bought again', async (_title, damage) => {
    const w = await world();
    await w.finish();
    const before = await w.rows();
    await w.restart();
    await damage(join(w.root, path));
    await w.restart();
    await w.finish();
    expect(await books(w)).toMatchObject({ balanced: true, dispositions: { applied: ALL } });
    expect(await w.rows()).toEqual(before);
    expect(await w.paid()).toHaveLength(ALL);
    expect(existsSync(join(w.root, path))).toBe(true);
  });
});

it('B093: results are held against what was sent, whatever was merged since', async () => {
  const w = await world();
  await w.pass();
  const schema = JSON.parse(repository()['schemas/label.schema.json'] as string);
  schema.properties.label.enum = ['bell'];
  await w.write({
    'schemas/label.schema.json': JSON.stringify(schema),
    'prompts/tickets/user.hbs': 'What rings? {{text}}\n',
  });
  await w.finish();
  expect((await classesOf(w, 1)).every((of) => of === 'ok')).toBe(true);
  const { run, history } = await w.report();
  expect(run).toMatchObject({ run: 2, books: { dispositions: { applied: ALL } } });
  expect(run?.reason).toContain('prompt');
  expect(history).toMatchObject([{ run: 1, items: ALL }]);
  expect(new Set((await w.rows()).map((row) => row.label))).toEqual(new Set(['bell']));
  expect(await w.paid()).toHaveLength(2 * ALL);
});
