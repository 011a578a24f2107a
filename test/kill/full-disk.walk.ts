import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../runner/emulator/server.ts';
import { testFolder } from '../support/folder.ts';
import { expectSound } from '../support/invariants.ts';
import { KEYS, LIFE, lifeFiles } from '../support/life.ts';
import { type Ended, runLimited } from '../support/limited-process.ts';
import { copiesOf } from '../support/reading.ts';
import { type World, world, worldAt } from '../support/world.ts';

const HOUR_MS = 3_600_000;

/** No file may be longer than so many KB: from nothing at all to more than a ledger. Each meets another write. */
const LIMITS = [0, 1, 2, 3, 4, 0, 6, 8, 1, 12, 2, 24, 300, 4, 8_000];

function expectWords({ code, signal, stderr }: Ended, what: string): void {
  expect(signal, `${what}: ${stderr}`).toBeUndefined();
  expect(stderr, what).not.toMatch(/mistake in itself|\n\s+at |Unhandled|uncaught/i);
  expect([0, 1, 5], `${what}: ${stderr}`).toContain(code);
  if (code === 1) expect(stderr, what).toMatch(/There is no room left on the disk: .*[Ff]ile too large/);
}

describe('real processes on a disk without room', () => {
  it('end in words, and when there is room again nothing is lost and nothing was bought twice', {
    timeout: 300_000,
  }, async () => {
    const emulator = await startEmulator({ clock: { mode: 'manual' }, scenario: LIFE });
    const root = await testFolder();
    for (const [path, text] of Object.entries(lifeFiles())) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text.replaceAll('EMULATOR', emulator.url));
    }
    let refused = 0;
    for (const [at, limit] of LIMITS.entries()) {
      const ended = await runLimited(root, ['reconcile'], limit, emulator.clock.now());
      expectWords(ended, `pass ${at + 1}, ${limit} KB`);
      if (ended.code === 1) refused += 1;
      emulator.clock.advance(HOUR_MS);
    }
    expect(refused).toBeGreaterThan(5);
    const w = await worldAt(root, emulator);
    await w.finish();
    await expectSound(w, { keys: KEYS });
  });

  /** Everything is done; its ledger is gone, so that whoever looks has to make one. */
  const done = copiesOf(async (): Promise<World> => {
    const w = await world(lifeFiles(), LIFE);
    await w.finish();
    await w.restart();
    await w.loseMachine();
    return w;
  });

  it.each([
    ['status', 'complete'],
    ['status --json', '"phase": "complete"'],
    ['report tickets', 'tickets · run 1: complete'],
    ['plan', ''],
    ['trace tickets T-a', 'T-a in tickets: 1 run'],
    ['diff tickets 1 1', 'tickets'],
    ['verify', '✓ files'],
    ['state', 'journal'],
  ])('`%s` needs none', { timeout: 60_000 }, async (verb, says) => {
    const ended = await runLimited(await done(), verb.split(' '), 0);
    expectWords(ended, verb);
    expect(ended.stdout).toContain(says);
    // What the machine has lost, the next pass writes again: `verify` says so.
    expect(ended.code).toBe(verb === 'verify' ? 5 : 0);
  });

  it.each(['results tickets', 'results tickets --output out/a.csv', 'state rebuild', 'rehearse', 'types'])(
    '`%s` needs some, and says so',
    { timeout: 60_000 },
    async (verb) => {
      const ended = await runLimited(await done(), verb.split(' '), 0);
      expectWords(ended, verb);
      expect(ended.code).toBe(1);
    },
  );

  it('output that goes to a file without room is told, and a reader that has seen enough is not', async () => {
    const root = await done();
    const full = await runLimited(root, ['status', '--json'], null, Date.now(), '> /dev/full');
    expect(full).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no room left on the disk: ENOSPC/),
    });
    const closed = await runLimited(root, ['status', '--json'], null, Date.now(), '| true');
    expect(closed).toMatchObject({ stderr: '', stdout: '' });
  });
});
