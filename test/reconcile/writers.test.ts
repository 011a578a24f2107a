import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import type { BatchEntry, RequestEntry } from '../../runner/emulator/ledger.ts';
import { startEmulator } from '../../runner/emulator/server.ts';
import { EMPTY_JOURNAL, foldSegment, intentsOf } from '../../runner/journal/fold.ts';
import { decodeSegment, segmentName } from '../../runner/journal/segment.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import { spendOfMonth } from '../../runner/plan/spend.ts';
import { localStore } from '../../runner/store/local.ts';
import { testFolder } from '../support/folder.ts';
import { lines } from '../support/world.ts';

const JOBS = ['one', 'two', 'three'];
const ROWS = 12;
/** Above what the answers cost, below what all three jobs would reserve at once. */
const OWNER_BUDGET_USD = 0.012;

it.each([2, 5])(
  '%i reconcilers on one store buy nothing twice, lose nothing and keep to the budget',
  async (count) => {
    const root = await testFolder();
    await using emulator = await startEmulator({
      scenario: {
        phases: {
          validating_ms: 10,
          running_ms: 40,
          running_ms_per_1000: 0,
          finalizing_ms: 10,
          cancelling_ms: 10,
        },
        rules: [{ on: 'line', batch: [1, 2, 3], line: 2, do: { status: 500 } }],
      },
    });
    await writeRepository(root, emulator.url);
    const rhythms = Array.from({ length: count }, (_, index) => 7 + index * 13);
    await Promise.all(rhythms.map((rhythm) => writer(root, rhythm)));

    const states = await replay(root);
    const last = states.at(-1) as JournalState;
    const { batches, paid } = await charged(emulator.ledger());
    const tagged = batches.map((batch) => batch.metadata?.batchwright_intent);
    expect(new Set(tagged).size, 'one batch an intent').toBe(batches.length);
    expect(new Set(paid.map((request) => request.body_hash)).size, 'no request bought twice').toBe(
      paid.length,
    );
    expect(paid).toHaveLength(JOBS.length * ROWS);
    for (const job of Object.values(last.jobs)) {
      expect(job.runs, 'one run a job').toHaveLength(1);
      const open = job.runs
        .flatMap((run) => intentsOf(last, run))
        .filter((intent) => !['settled', 'absent', 'refused'].includes(intent.phase));
      expect(open).toEqual([]);
    }
    for (const state of states) {
      const spend = spendOfMonth(state, NOW, { owner: 'team', emulator: true });
      expect(spend.settled + spend.reserved, 'the budget holds after each segment').toBeLessThanOrEqual(
        OWNER_BUDGET_USD,
      );
    }
    for (const name of JOBS)
      expect((await readFile(join(root, `out/${name}.jsonl`), 'utf8')).trim().split('\n')).toHaveLength(ROWS);
  },
);

const NOW = new Date().toISOString() as never;

async function writer(root: string, rhythm: number): Promise<void> {
  await execa('node', [join(import.meta.dirname, '../support/writer.ts'), root, String(rhythm)], {
    env: { TEST_KEY: 'key' },
    timeout: 90_000,
  });
}

async function replay(root: string): Promise<JournalState[]> {
  const store = localStore(join(root, 'state'));
  const states: JournalState[] = [];
  let state = EMPTY_JOURNAL;
  for (const name of await store.list('journal/')) {
    const bytes = await readFile(join(root, 'state', name));
    expect(name).toBe(segmentName(state.seq + 1));
    state = foldSegment(state, decodeSegment(name, bytes, state.head));
    states.push(state);
  }
  return states;
}

async function charged(ledger: AsyncGenerator<{ readonly kind: string }>) {
  const batches: BatchEntry[] = [];
  const paid: RequestEntry[] = [];
  for await (const entry of ledger) {
    if (entry.kind === 'batch') batches.push(entry as BatchEntry);
    if (entry.kind === 'request' && (entry as RequestEntry).charged) paid.push(entry as RequestEntry);
  }
  return { batches, paid };
}

async function writeRepository(root: string, url: string): Promise<void> {
  const files: Record<string, string> = {
    'batchwright.yaml': `apiVersion: batchwright/v1\nproviders:\n  openai: { kind: openai, base_url: "${url}", api_key_env: TEST_KEY, emulator: true }\nbudgets:\n  owners: { team: { per_month_usd: ${OWNER_BUDGET_USD} } }\n`,
  };
  for (const name of JOBS) {
    files[`jobs/${name}.yaml`] =
      `apiVersion: batchwright/v1\nname: ${name}\nowner: team\nmodel: openai/gpt-5.4-mini\ninput: { files: data/${name}.jsonl, key: id }\nprompt: label\noutput: { text: true, max_tokens: 100 }\ncanary: false\nshard: { max_items: 5, max_in_flight: 2 }\nsinks: [{ kind: jsonl, path: out/${name}.jsonl }]\n`;
    files[`data/${name}.jsonl`] = lines(
      Array.from({ length: ROWS }, (_, index) => ({ id: `${name}-${index}`, text: `${name} says ${index}` })),
    );
  }
  files['prompts/label/user.hbs'] = 'Say it shorter: {{text}}\n';
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
