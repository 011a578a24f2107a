import { readFile, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StateConflict } from '../../runner/errors.ts';
import type { JobName } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { JournalMoved, openJournal } from '../../runner/journal/journal.ts';
import { localStore } from '../../runner/store/local.ts';
import type { Store } from '../../runner/store/port.ts';
import { testFolder } from '../support/folder.ts';
import { frozen, intent, testWriter } from '../support/journal.ts';

const ofJob = (name: string): JournalEvent => frozen({ job: name as JobName });

async function twoWriters() {
  const store = localStore(await testFolder());
  return { store, a: openJournal(store, testWriter('a')), b: openJournal(store, testWriter('b')) };
}

describe('append', () => {
  it('numbers segments, chains their digests and keeps one lineage', async () => {
    const { store, a } = await twoWriters();
    await a.append([frozen()]);
    const state = await a.append([intent(1)]);
    expect(state).toMatchObject({ seq: 2, lineage: 'a-1' });
    const [first, second] = await Promise.all(
      (await store.list('journal/')).map(async (name) => readFile((await store.get(name)) as string, 'utf8')),
    );
    const header = JSON.parse((second as string).split('\n')[0] as string);
    const { digestOf } = await import('../../runner/ids.ts');
    expect(header.previous).toBe(digestOf(first as string));
  });

  it('goes on under the next number where the news is about other jobs', async () => {
    const { a, b } = await twoWriters();
    await a.append([ofJob('one')]);
    const state = await b.append([ofJob('two')]);
    expect(state.seq).toBe(2);
    expect(Object.keys(state.jobs).sort()).toEqual(['one', 'two']);
  });

  it('appends nothing where the news touches its job, and holds the news', async () => {
    const { store, a, b } = await twoWriters();
    await a.append([ofJob('one')]);
    await expect(b.append([ofJob('one')])).rejects.toThrow(JournalMoved);
    expect(await store.list('journal/')).toHaveLength(1);
    expect(b.state.seq).toBe(1);
  });

  it('appends no spend after news of other spend: one budget may stand over both jobs', async () => {
    const { a, b } = await twoWriters();
    await a.append([intent(1, { job: 'one' as JobName })]);
    await expect(b.append([intent(2, { job: 'two' as JobName })])).rejects.toThrow(JournalMoved);
    expect((await b.append([intent(2, { job: 'two' as JobName })])).seq).toBe(2);
  });

  it('knows its own segment again after a put that succeeded and then failed', async () => {
    const folder = await testFolder();
    const inner = localStore(folder);
    const liar: Store = {
      ...inner,
      async putIfAbsent(name, source) {
        await inner.putIfAbsent(name, source);
        return 'exists';
      },
    };
    const state = await openJournal(liar, testWriter('a')).append([frozen()]);
    expect(state.seq).toBe(1);
    expect(await inner.list('journal/')).toHaveLength(1);
  });

  it('loses no group of many writers on many jobs', async () => {
    const store = localStore(await testFolder());
    const writers = Array.from({ length: 6 }, (_, index) => ({
      journal: openJournal(store, testWriter(`w${index}`)),
      job: `job-${index}`,
    }));
    await Promise.all(
      writers.map(async ({ journal, job }) => {
        for (let run = 1; run <= 5; run += 1) await journal.append([frozen({ job: job as JobName, run })]);
      }),
    );
    const state = await openJournal(store, testWriter('reader')).refresh();
    expect(state.seq).toBe(30);
    expect(Object.values(state.jobs).map((job) => job.runs.length)).toEqual([5, 5, 5, 5, 5, 5]);
  });
});

describe('a damaged journal is refused, and nothing is sent', () => {
  const second = (folder: string) => join(folder, 'journal/00000002.jsonl');
  const cases: Record<string, (folder: string) => Promise<void>> = {
    'a cut last line (B087)': (folder) => truncate(second(folder), 40),
    'a missing segment': (folder) => unlink(second(folder)),
    'a changed byte in an earlier segment': async (folder) => {
      const path = join(folder, 'journal/00000001.jsonl');
      await writeFile(path, (await readFile(path, 'utf8')).replace('new job', 'old job'));
    },
    'a segment of a newer format': async (folder) => {
      await writeFile(
        second(folder),
        (await readFile(second(folder), 'utf8')).replace('"format":1', '"format":2'),
      );
    },
    'a line that is no JSON': (folder) => writeFile(second(folder), 'nonsense\n'),
  };

  it.each(Object.entries(cases))('%s', async (_name, damage) => {
    const folder = await testFolder();
    const journal = openJournal(localStore(folder), testWriter('a'));
    await journal.append([frozen()]);
    await journal.append([intent(1)]);
    await journal.append([intent(2)]);
    await damage(folder);
    await expect(openJournal(localStore(folder), testWriter('b')).refresh()).rejects.toThrow(StateConflict);
  });
});
