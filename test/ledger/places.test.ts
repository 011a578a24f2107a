import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Duck } from '../../runner/duck.ts';
import { type Effect, withEffects } from '../../runner/effects.ts';
import type { JobName } from '../../runner/ids.ts';
import type { Ledger } from '../../runner/ledger/ledger.ts';
import { openSomewhere } from '../../runner/ledger/places.ts';
import { project } from '../../runner/ledger/project.ts';
import { type LedgerPool, ledgerPool } from '../../runner/reconcile/ledgers.ts';
import { flipped } from '../support/damage.ts';
import { testFolder } from '../support/folder.ts';
import { noRoom } from '../support/full-disk.ts';
import { contentsOf } from '../support/reading.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

const JOB = 'tickets' as JobName;

/** A job that is done, and its ledger in a folder of its own. */
async function doneWorld() {
  const w = await world(repository('shard: { max_items: 3 }\n'), {
    rules: [{ on: 'line', batch: 1, line: 2, do: { status: 500 } }],
  });
  await w.finish();
  const stateFolder = await testFolder();
  return { w, stateFolder, path: join(stateFolder, 'tickets/ledger.duckdb') };
}

/** A pool as another process would have it. */
async function poolOf(w: World, stateFolder: string, warn?: (job: JobName, text: string) => void) {
  const { store } = await w.context();
  return ledgerPool({ stateFolder, work: join(stateFolder, 'work'), store, ...(warn ? { warn } : {}) });
}

async function opened(w: World, pool: LedgerPool): Promise<Ledger> {
  const { journal, repository: files } = await w.context();
  const ledger = await pool.of(JOB, files.jobs[0]?.job ?? null, journal.state);
  if (ledger === null) throw new Error('there is a run');
  return ledger;
}

async function contentsIn(w: World, stateFolder: string): Promise<Record<string, unknown>> {
  const pool = await poolOf(w, stateFolder);
  try {
    return await (await opened(w, pool)).ask(contentsOf);
  } finally {
    pool.close();
  }
}

const HURTS: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ['is no database', (path) => writeFile(path, 'not a database')],
  ['is empty', (path) => writeFile(path, '')],
  ['is cut', async (path) => writeFile(path, (await readFile(path)).subarray(0, 300_000))],
  ['is of a newer DuckDB', (path) => patched(path, 12, Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0]))],
  ['has a log that is none', (path) => writeFile(`${path}.wal`, Buffer.alloc(3_000, 0xa5))],
  [
    'is gone, and its log is not',
    async (path) => {
      await writeFile(`${path}.wal`, Buffer.alloc(3_000, 0xa5));
      await rm(path);
    },
  ],
];

async function patched(path: string, at: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, at);
  await file.close();
}

describe('a ledger whose file', () => {
  it.each(HURTS)('%s is made anew', async (_, hurt) => {
    const { w, stateFolder, path } = await doneWorld();
    const expected = await contentsIn(w, stateFolder);
    await hurt(path);
    expect(await contentsIn(w, stateFolder)).toEqual(expected);
    expect((await stat(path)).size).toBeGreaterThan(300_000);
  });

  it('is a folder is private, and the folder stays', async () => {
    const { w, stateFolder, path } = await doneWorld();
    const expected = await contentsIn(w, stateFolder);
    await rm(path);
    await mkdir(path);
    expect(await contentsIn(w, stateFolder)).toEqual(expected);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('has another bit in a block is made anew when the block is read, whichever it is', {
    timeout: 120_000,
  }, async () => {
    const { w, stateFolder, path } = await doneWorld();
    const expected = await contentsIn(w, stateFolder);
    const bytes = await readFile(path);
    let healed = 0;
    // Three headers of 4 KB, then blocks of 256 KB.
    for (let at = 12_288 + 60; at < bytes.length; at += 262_144) {
      await writeFile(path, flipped(bytes, at));
      expect(await contentsIn(w, stateFolder), `block at ${at}`).toEqual(expected);
      if (!(await readFile(path)).equals(flipped(bytes, at))) healed += 1;
    }
    expect(healed).toBeGreaterThan(3);
  });
});

const COMMIT_FAILED =
  'TransactionContext Error: Failed to commit: Could not write file "/x/ledger.duckdb.wal": No space left on device';
const NO_TRANSACTION = 'TransactionContext Error: cannot rollback - no transaction is active';

/** Statements of these kinds fail on the connection that is open now, as DuckDB fails where its disk is full. */
function refuse({ connection }: Duck, errors: Readonly<Record<string, string>>): void {
  const run = connection.run.bind(connection);
  const failing: typeof run = async (sql, values) => {
    const message = errors[sql];
    if (message !== undefined) throw new Error(message);
    return run(sql, values);
  };
  Object.assign(connection, { run: failing });
}

describe('a disk that is full while a ledger is brought up', () => {
  it('what went wrong first is told, and not that it cannot be rolled back', async () => {
    const { w, stateFolder } = await doneWorld();
    const pool = await poolOf(w, stateFolder);
    const { duck } = await opened(w, pool);
    refuse(duck, { COMMIT: COMMIT_FAILED, ROLLBACK: NO_TRANSACTION });
    const { journal } = await w.context();
    const input = {
      job: JOB,
      state: journal.state,
      pathOf: async () => '',
      provenPathOf: async () => '',
      proveFiles: async () => {},
      retry: { maxAttempts: 1, invalidOutput: 0, truncatedMaxTokens: null, unreadableShare: 0.001 },
      sinks: [],
      withdrawn: false,
    };
    await expect(project(duck, input, null)).rejects.toThrow(COMMIT_FAILED);
    pool.close();
  });

  it('leaves one in memory that says the same; the next process has it in its file again', async () => {
    const { w, stateFolder } = await doneWorld();
    const warnings: string[] = [];
    const pool = await poolOf(w, stateFolder, (_, text) => warnings.push(text));
    const ledger = await opened(w, pool);
    expect(ledger.notKept).toBeNull();
    refuse(ledger.duck, { COMMIT: COMMIT_FAILED, ROLLBACK: NO_TRANSACTION });
    await w.write({ 'data/tickets.jsonl': lines([...TICKETS, { id: 'T-new', text: 'One more' }]) });
    await w.pass();
    await w.pass();
    const isFull = ({ name, target }: Effect) => {
      if (name === 'duck.open' && target !== ':memory:') throw noRoom();
    };
    const news = await withEffects(isFull, () => opened(w, pool));
    expect(news.notKept).toContain('There is no room left on the disk');
    expect(warnings).toEqual([expect.stringContaining('its ledger could not be kept')]);
    const inMemory = await contentsOf(news.duck);
    pool.close();
    expect(inMemory).toEqual(await contentsIn(w, stateFolder));
  });
});

describe('where a ledger may stand', () => {
  const at = async (fails: Readonly<Record<string, Error>>) => {
    const folder = await testFolder();
    const path = join(folder, 'ledger.duckdb');
    const tried: string[] = [];
    const placed = await openSomewhere(path, join(folder, 'work'), async (place) => {
      const name = place === path ? 'file' : place === ':memory:' ? 'memory' : 'private';
      tried.push(name);
      const error = fails[name];
      if (error !== undefined) throw error;
      return name;
    });
    return { ...placed, tried };
  };
  const broken = new Error('IO Error: Corrupt database file: computed checksum 1 does not match 2');
  const locked = new Error('IO Error: Could not set lock on file "x": Conflicting lock is held');
  const full = new Error('IO Error: Could not write file "x": No space left on device');

  it.each([
    ['nothing is wrong', {}, ['file'], false],
    ['another process has it', { file: locked }, ['file', 'private'], false],
    ['its disk is full', { file: full, private: full }, ['file', 'private', 'memory'], true],
    ['nobody may write there', { file: noRoom(), private: noRoom() }, ['file', 'private', 'memory'], true],
    ['it stays damaged when it is made anew', { file: broken }, ['file', 'file', 'private'], true],
  ] as const)('%s', async (_, fails, tried, isNotKept) => {
    const placed = await at(fails);
    expect(placed.tried).toEqual(tried);
    expect(placed.opened).toBe(tried.at(-1));
    expect(placed.notKept !== null).toBe(isNotKept);
  });

  it('a statement that is wrong is wrong everywhere, and tried once', async () => {
    const wrong = new Error('Binder Error: Referenced column "x" not found');
    await expect(at({ file: wrong })).rejects.toBe(wrong);
    await expect(at({ file: full, private: full, memory: full })).rejects.toBe(full);
  });
});
