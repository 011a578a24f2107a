import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Scenario } from '../../../runner/emulator/scenario.ts';
import type { Emulator } from '../../../runner/emulator/server.ts';
import { newIntentId } from '../../../runner/ids.ts';
import type { Call, Provider } from '../../../runner/provider/port.ts';
import { ADAPTERS } from '../../support/adapters.ts';
import { startStill } from '../../support/emulator.ts';

let emulator: Emulator;
let folder: string;

beforeEach(async () => {
  emulator = await startStill();
  folder = await mkdtemp(join(tmpdir(), 'batchwright-gemini-upload-'));
});

afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

/** Two pieces: the first of 8 MiB, then the rest. */
const TEXT = `${'x'.repeat((8 << 20) + 5)}\n`;

async function upload(scenario: Scenario): ReturnType<Provider['upload']> {
  emulator.setScenario(scenario);
  const gemini = ADAPTERS.find(({ name }) => name === 'gemini generateContent');
  const provider = await gemini?.open(emulator);
  const path = join(folder, 'wire.jsonl');
  await writeFile(path, TEXT);
  const file = { intent: newIntentId(), path, bytes: TEXT.length, name: 'wire.jsonl' };
  return provider?.upload(file) as Promise<Call<{ fileId: string }>>;
}

async function calls(): Promise<Readonly<Record<string, number>>> {
  for await (const entry of emulator.ledger()) if (entry.kind === 'calls') return entry.calls;
  return {};
}

test.each<readonly [string, Scenario, number]>([
  ['nothing breaks', {}, 3],
  ['a piece is lost: it is sent again', { rules: [{ on: 'upload', nth: 3, do: { reset: true } }] }, 5],
  [
    'a piece has arrived and its answer is lost: it is not sent again',
    { rules: [{ on: 'upload', nth: 2, do: { when: 'after_commit', reset: true } }] },
    4,
  ],
  [
    'the whole has arrived and the last answer is lost',
    { rules: [{ on: 'upload', nth: 3, do: { when: 'after_commit', status: 503 } }] },
    4,
  ],
  [
    'nobody says what has arrived: begun anew',
    { rules: [{ on: 'upload', nth: [3, 4], do: { status: 500 } }] },
    7,
  ],
])('an upload goes on where it broke off: %s', async (_title, scenario, asked) => {
  expect(await upload(scenario)).toMatchObject({ kind: 'ok' });
  expect((await calls()).upload).toBe(asked);
});

test('one that breaks again and again is left to a later pass', async () => {
  const call = await upload({ rules: [{ on: 'upload', every: 2, do: { status: 503 } }] });
  expect(call).toMatchObject({ kind: 'failed', error: { status: 503 } });
});
