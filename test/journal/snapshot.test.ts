import { readFileSync } from 'node:fs';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StateConflict } from '../../runner/errors.ts';
import { type Digest, digestOf } from '../../runner/ids.ts';
import { EMPTY_JOURNAL, foldSegments } from '../../runner/journal/fold.ts';
import { type Journal, openJournal } from '../../runner/journal/journal.ts';
import { segmentName } from '../../runner/journal/segment.ts';
import { decodeSnapshot, encodeSnapshot, FOLD_SOURCES, snapshotName } from '../../runner/journal/snapshot.ts';
import { localStore } from '../../runner/store/local.ts';
import type { Store } from '../../runner/store/port.ts';
import { EVERY_EVENT } from '../support/every-event.ts';
import { testFolder } from '../support/folder.ts';
import { intent, segmentsOf, stateOf, testWriter } from '../support/journal.ts';

/** The number of the last snapshot, where one is made each five segments, and later each time a quarter more has come. */
const NEWEST = lastSnapshot(0);

function lastSnapshot(from: number): number {
  const next = from + Math.max(5, Math.ceil(from / 4));
  return next > EVERY_EVENT.length ? from : lastSnapshot(next);
}

it('many segments at once fold to what they fold to one by one, and what they started from stays as it was', () => {
  const segments = segmentsOf(...EVERY_EVENT);
  for (let at = 0; at <= segments.length; at += 1) {
    const before = foldSegments(EMPTY_JOURNAL, segments.slice(0, at));
    const text = JSON.stringify(before);
    expect(foldSegments(before, segments.slice(at))).toStrictEqual(stateOf(...EVERY_EVENT));
    expect(JSON.stringify(before)).toBe(text);
  }
});

it('a fold that goes on from a snapshot equals the fold from the start, wherever it was taken', () => {
  for (let at = 1; at <= EVERY_EVENT.length; at += 1) {
    const before = stateOf(...EVERY_EVENT.slice(0, at));
    const read = decodeSnapshot(snapshotName(at), encodeSnapshot(before));
    // Strictly: a field that is undefined would be lost on the way.
    expect(read).toStrictEqual({ kind: 'state', state: before });
  }
});

describe('a reader', () => {
  let folder = '';
  let store: Store;
  let read: string[] = [];
  let said: string[] = [];
  const path = (name: string) => join(folder, name);

  beforeEach(async () => {
    folder = await testFolder();
    const inner = localStore(folder);
    store = {
      ...inner,
      get(name) {
        read.push(name);
        return inner.get(name);
      },
    };
    const journal = openWith(testWriter('a'));
    for (const events of EVERY_EVENT) {
      await journal.append(events);
      await journal.keepSnapshot();
    }
    read = [];
    said = [];
  });

  function openWith(writer = testWriter('b')): Journal {
    return openJournal(store, writer, { snapshotEvery: 5, warn: (text) => said.push(text) });
  }

  it('goes on where the store does not take a snapshot: the pass has done its work, and nothing depends on it', async () => {
    const inner = store;
    store = {
      ...inner,
      async putIfAbsent(name, source) {
        if (name === snapshotName(EVERY_EVENT.length + 5))
          throw new StateConflict('the host is away', 'try again');
        return inner.putIfAbsent(name, source);
      },
    };
    const journal = openWith();
    await journal.refresh();
    for (let count = 0; count < 5; count += 1) await journal.append([intent(20 + count)]);
    await journal.keepSnapshot();
    expect(said).toEqual([expect.stringContaining('the host is away')]);
  });

  async function fromTheStart() {
    const state = await openJournal(withoutSnapshots(store), testWriter('c')).refresh();
    expect(state.seq).toBe(EVERY_EVENT.length);
    return state;
  }

  it('starts at the newest snapshot, and comes to what it would have come to', async () => {
    const whole = await fromTheStart();
    read = [];
    expect(await openWith().refresh()).toStrictEqual(whole);
    const after = Array.from({ length: EVERY_EVENT.length - NEWEST }, (_, at) => NEWEST + 1 + at);
    expect(read).toEqual([snapshotName(NEWEST), ...[1, NEWEST, ...after].map(segmentName)]);
    expect(said).toEqual([]);
  });

  it('appends where the snapshot left off', async () => {
    const journal = openWith();
    await journal.refresh();
    expect((await journal.append([intent(9)])).seq).toBe(EVERY_EVENT.length + 1);
    expect(await openJournal(withoutSnapshots(store), testWriter('c')).refresh()).toStrictEqual(
      journal.state,
    );
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['cut', (text) => text.slice(0, 2000), /it is not JSON/],
    [
      'changed',
      (text) => text.replace('three listings', 'four listings').replace('"new job"', '"old job"'),
      /not as it was written/,
    ],
    ['of another number', (text) => told(text, (state) => ({ ...state, seq: 11 })), /it ends at segment 11/],
    [
      'of another journal',
      (text) => told(text, (state) => ({ ...state, lineage: 'x' })),
      /of another journal/,
    ],
    [
      'of another history',
      (text) => told(text, (state) => ({ ...state, head: digestOf('x') })),
      /segment \d+ is another one/,
    ],
    ['something else', () => '[]', /it is no snapshot/],
  ])('takes no snapshot that is %s: it says so and starts at segment 1', async (_what, hurt, why) => {
    const name = path(snapshotName(NEWEST));
    await writeFile(name, hurt(await readFile(name, 'utf8')));
    expect(await openWith().refresh()).toStrictEqual(await fromTheStart());
    expect(said).toEqual([expect.stringMatching(why)]);
    expect(said[0]).toContain(`${snapshotName(NEWEST)} is not used`);
  });

  it('takes none that another version folded, and finds nothing wrong with that', async () => {
    const name = path(snapshotName(NEWEST));
    const snapshot = JSON.parse(await readFile(name, 'utf8')) as { fold: Digest };
    await writeFile(name, JSON.stringify({ ...snapshot, fold: digestOf('another fold') }));
    expect(await openWith().refresh()).toStrictEqual(await fromTheStart());
    expect(said).toEqual([]);
  });

  it.each([1, 5, NEWEST])('misses segment %i, whether or not a snapshot has it', async (seq) => {
    await unlink(path(segmentName(seq)));
    await expect(openWith().refresh()).rejects.toThrow(`${segmentName(seq)} is missing. Nothing was sent.`);
  });

  it('takes a journal whose segments are all gone for lost, not for new', async () => {
    for (let seq = 1; seq <= EVERY_EVENT.length; seq += 1) await unlink(path(segmentName(seq)));
    await expect(openWith().refresh()).rejects.toThrow(`${segmentName(1)} is missing. Nothing was sent.`);
  });
});

it('snapshots grow rarer: together they take a few times the room of the last one', async () => {
  const store = localStore(await testFolder());
  const journal = openJournal(store, testWriter('a'), { snapshotEvery: 4 });
  for (let n = 1; n <= 100; n += 1) {
    await journal.append([intent(n)]);
    await journal.keepSnapshot();
  }
  const names = (await store.list('journal/snapshot-')).map((name) => Number(name.slice(17, 25)));
  expect(names).toEqual([4, 8, 12, 16, 20, 25, 32, 40, 50, 63, 79, 99]);
});

/** The snapshot with another state, as if it had been written so. */
function told(text: string, change: (state: object) => object): string {
  const snapshot = JSON.parse(text) as { state: object };
  const state = change(snapshot.state);
  return JSON.stringify({ ...snapshot, state, digest: digestOf(JSON.stringify(state)) });
}

function withoutSnapshots(store: Store): Store {
  return {
    ...store,
    list: async (prefix) => (await store.list(prefix)).filter((name) => !name.includes('snapshot')),
  };
}

it('a change of anything that the fold is made of makes snapshots another version’s', () => {
  const folder = join(import.meta.dirname, '../../runner/journal');
  const imported = FOLD_SOURCES.flatMap((name) => {
    const text = readFileSync(join(folder, `${name}.ts`), 'utf8');
    return [...text.matchAll(/from '\.\/([^']+)\.ts'/g)].map(([, path]) => path as string);
  });
  expect(imported.filter((name) => !FOLD_SOURCES.includes(name))).toEqual([]);
});
