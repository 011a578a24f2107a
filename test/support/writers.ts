import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { BatchEntry, LedgerEntry, RequestEntry } from '../../runner/emulator/ledger.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import type { Instant } from '../../runner/ids.ts';
import { EMPTY_JOURNAL, foldSegment, intentsOf } from '../../runner/journal/fold.ts';
import { decodeSegment, segmentName, segmentSeq } from '../../runner/journal/segment.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import { spendOfMonth, totalOf } from '../../runner/plan/spend.ts';
import { localStore } from '../../runner/store/local.ts';
import type { Store } from '../../runner/store/port.ts';
import { lines } from './world.ts';

export const JOBS = ['one', 'two', 'three'];
const ROWS = 12;
/** Above what the answers cost, below what all three jobs would reserve at once. */
const OWNER_BUDGET_USD = 0.012;

/** A row of each of the first batches fails once. */
export const SOME_FAIL: NonNullable<Scenario['rules']> = [
  { on: 'line', batch: [1, 2, 3], line: 2, do: { status: 500 } },
];

/** Three jobs of one owner, whose budget lets them go only one after the other. */
export async function writeJobs(root: string, url: string, store: Store['kind'] = 'local'): Promise<void> {
  const files: Record<string, string> = {
    'batchwright.yaml': `apiVersion: batchwright/v1\nstore: { kind: ${store} }\nproviders:\n  openai: { kind: openai, base_url: "${url}", api_key_env: TEST_KEY, emulator: true }\nbudgets:\n  owners: { team: { per_month_usd: ${OWNER_BUDGET_USD} } }\n`,
    'prompts/label/user.hbs': 'Say it shorter: {{text}}\n',
  };
  for (const name of JOBS) {
    files[`jobs/${name}.yaml`] =
      `apiVersion: batchwright/v1\nname: ${name}\nowner: team\nmodel: openai/gpt-5.4-mini\ninput: { files: data/${name}.jsonl, key: id }\nprompt: label\noutput: { text: true, max_tokens: 100 }\ncanary: false\nshard: { max_items: 5, max_in_flight: 2 }\nsinks: [{ kind: jsonl, path: out/${name}.jsonl }]\n`;
    files[`data/${name}.jsonl`] = lines(
      Array.from({ length: ROWS }, (_, index) => ({ id: `${name}-${index}`, text: `${name} says ${index}` })),
    );
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/**
 * What must hold when all writers are quiet: one batch an intent, nothing bought twice, one run a job, every row in its
 * sink, and the budget kept after each segment. @returns how many segments the journal has
 */
export async function expectOneHistory(
  root: string,
  ledger: AsyncGenerator<LedgerEntry>,
  now: Instant,
  store: Store = localStore(join(root, 'state')),
): Promise<number> {
  const states = await replay(store);
  const last = states.at(-1) as JournalState;
  const { batches, paid } = await charged(ledger);
  const tagged = batches.map((batch) => batch.metadata?.batchwright_intent);
  expect(new Set(tagged).size, 'one batch an intent').toBe(batches.length);
  expect(tagged.sort(), 'every intent that was carried out has its batch').toEqual(intentsWithBatch(last));
  expect(new Set(paid.map((request) => request.body_hash)).size, 'no request bought twice').toBe(paid.length);
  expect(paid).toHaveLength(JOBS.length * ROWS);
  for (const job of Object.values(last.jobs)) {
    expect(job.runs, 'one run a job').toHaveLength(1);
    const open = job.runs.flatMap((run) => intentsOf(last, run)).filter(({ phase }) => !isEnd(phase));
    expect(open).toEqual([]);
  }
  for (const state of states) {
    const spend = spendOfMonth(state, now, { owner: 'team', emulator: true });
    expect(totalOf(spend), 'the budget holds after each segment').toBeLessThanOrEqual(OWNER_BUDGET_USD);
  }
  for (const name of JOBS)
    expect((await readFile(join(root, `out/${name}.jsonl`), 'utf8')).trim().split('\n')).toHaveLength(ROWS);
  return states.length;
}

function isEnd(phase: string): boolean {
  return ['settled', 'absent', 'refused'].includes(phase);
}

function intentsWithBatch(state: JournalState): string[] {
  return Object.values(state.intents)
    .filter((intent) => intent.batch !== null)
    .map(({ intent }) => intent)
    .sort();
}

/** The state after each segment, from the first one on. */
async function replay(store: Store): Promise<JournalState[]> {
  const states: JournalState[] = [];
  let state = EMPTY_JOURNAL;
  for (const name of (await store.list('journal/')).filter((each) => segmentSeq(each) !== null)) {
    const bytes = await readFile((await store.get(name)) ?? '');
    expect(name).toBe(segmentName(state.seq + 1));
    state = foldSegment(state, decodeSegment(name, bytes, state.head));
    states.push(state);
  }
  return states;
}

async function charged(ledger: AsyncGenerator<LedgerEntry>) {
  const batches: BatchEntry[] = [];
  const paid: RequestEntry[] = [];
  for await (const entry of ledger) {
    if (entry.kind === 'batch') batches.push(entry);
    if (entry.kind === 'request' && entry.charged) paid.push(entry);
  }
  return { batches, paid };
}
