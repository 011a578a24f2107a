import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { repository, type World, world } from '../support/world.ts';

const FAULTS: Scenario = {
  rules: [
    { on: 'line', batch: 1, line: 1, do: { answer: 'invalid_json' } },
    { on: 'line', batch: 1, line: 2, do: { answer: 'refusal' } },
    { on: 'line', batch: 1, line: 3, do: { status: 400, message: 'Ticket c: too long' } },
  ],
};
const JOB = 'retry: { invalid_output: 0 }\n';

async function heldRows(w: World): Promise<Record<string, string | null>[]> {
  const duck = await openDuck();
  const rows = await duck.rows<Record<string, string | null>>(
    `SELECT * FROM read_csv(${sqlText(join(w.root, 'state/tickets/held.csv'))}, header = true, all_varchar = true, nullstr = '')`,
  );
  duck.close();
  return rows;
}

test('held.csv shows what the model said, and nothing where it said nothing', async () => {
  const w = await world(repository(JOB), FAULTS);
  await w.finish();
  const [invalid, refused, rejected] = await heldRows(w);
  expect(invalid).toMatchObject({
    key: 'T-a',
    class: 'invalid_output',
    answer: expect.stringContaining('{'),
  });
  expect(refused).toMatchObject({ key: 'T-b', class: 'refused', answer: refused?.detail });
  expect(rejected).toMatchObject({ key: 'T-c', class: 'invalid_request', answer: null });
  expect(rejected?.detail).toContain('too long');
});

test('where keys are hashed, held.csv has the codes of the page and no words of the row', async () => {
  const files = repository(JOB);
  const settings = `${files['batchwright.yaml']}report: { keys: hashed, samples: 0 }\n`;
  const w = await world({ ...files, 'batchwright.yaml': settings }, FAULTS);
  await w.finish();
  const rows = await heldRows(w);
  const page = await readFile(join(w.root, 'state/tickets/README.md'), 'utf8');
  expect(rows).toHaveLength(3);
  for (const { key, detail, answer } of rows) {
    expect(key).toMatch(/^#[0-9a-f]{10}$/);
    expect(page).toContain(`\`${key}\``);
    expect([detail, answer]).toEqual([null, null]);
  }
});
