import { expect, it, vi } from 'vitest';
import type { JobName } from '../../runner/ids.ts';
import { JournalMoved, openJournal } from '../../runner/journal/journal.ts';
import { gitHost } from '../support/git-host.ts';
import { gitHttp } from '../support/git-http.ts';
import { frozen, intent, testWriter } from '../support/journal.ts';

// Each step is a handful of processes, which a busy machine starts slowly.
vi.setConfig({ testTimeout: 180_000 });

const WRITERS = Array.from({ length: 8 }, (_, index) => `writer-${index}` as JobName);

it('eight machines append to one journal at once, and no segment is lost or doubled', async () => {
  const host = await gitHost();
  await Promise.all(
    WRITERS.map(async (name) => {
      const journal = openJournal(await host.runner(), testWriter(name));
      for (const run of [1, 2]) await journal.append([frozen({ job: name, run })]);
    }),
  );
  const state = await openJournal(await host.runner(), testWriter('reader')).refresh();
  expect(state.seq).toBe(2 * WRITERS.length);
  for (const name of WRITERS) expect(state.jobs[name]?.runs.map(({ run }) => run)).toEqual([1, 2]);
});

it("two processes of one checkout share its cache, and do not get in each other's way", async () => {
  const host = await gitHost();
  const root = await host.clone();
  const names = WRITERS.slice(0, 3);
  await Promise.all(
    names.map(async (name) => {
      const store = host.store(root, { work: `${root}/work-${name}` });
      const journal = openJournal(store, testWriter(name));
      for (const run of [1, 2, 3]) {
        await store.putIfAbsent(`${name}/runs/${run}/a.parquet`, { bytes: Buffer.from(name) });
        await journal.append([frozen({ job: name, run })]);
      }
    }),
  );
  const reader = await host.runner();
  expect((await openJournal(reader, testWriter('reader')).refresh()).seq).toBe(9);
  expect((await reader.list('')).filter((name) => name.endsWith('.parquet'))).toHaveLength(9);
});

it('B088: of two machines that announce the same spend one hears of the other before it pays', async () => {
  const host = await gitHost();
  const [a, b] = [
    openJournal(await host.runner(), testWriter('a')),
    openJournal(await host.runner(), testWriter('b')),
  ];
  await a.append([frozen()]);
  await b.refresh();
  await a.append([intent(1)]);
  await expect(b.append([intent(2)])).rejects.toThrow(JournalMoved);
  expect(Object.keys(b.state.intents)).toHaveLength(1);
});

it('knows its own segment again where the push won, its answer was lost, and another went on from it', async () => {
  const host = await gitHost();
  const http = await gitHttp(host.home);
  const root = await host.clone(`${http.url}/host.git`);
  const journal = openJournal(await host.runner({ root }), testWriter('a'));
  await journal.append([frozen({ job: 'one' as JobName })]);
  http.loseAnswers = 1;
  const other = openJournal(await host.runner(), testWriter('b'));
  http.afterLost = async () => void (await other.append([frozen({ job: 'two' as JobName })]));
  await journal.append([frozen({ job: 'one' as JobName, run: 2 })]);
  const state = await openJournal(await host.runner(), testWriter('reader')).refresh();
  expect(state.seq).toBe(3);
  expect(state.jobs['one' as JobName]?.runs).toHaveLength(2);
});
