import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSession, type Session } from '../../runner/context.ts';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import type { RequestEntry } from '../../runner/emulator/ledger.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import type { Emulator } from '../../runner/emulator/server.ts';
import { startEmulator } from '../../runner/emulator/server.ts';
import { instantOf, type JobName } from '../../runner/ids.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import type { Action } from '../../runner/plan/action.ts';
import { plan } from '../../runner/plan/plan.ts';
import { QUICK } from '../../runner/plan/snapshot.ts';
import type { LogEntry, PassContext } from '../../runner/reconcile/context.ts';
import { describeFleet, publishReports } from '../../runner/reconcile/describe/publish.ts';
import { newMemory, type PassMemory } from '../../runner/reconcile/memory.ts';
import { observeDesired, takeSnapshot } from '../../runner/reconcile/observe.ts';
import { type PassResult, reconcileOnce } from '../../runner/reconcile/pass.ts';
import type { FleetReport, JobReport } from '../../runner/report/report.ts';
import { testFolder } from './folder.ts';
import { FOLDER, type Machine, RUNNER_ENV } from './machine.ts';

/** A real repository in a real folder, the emulator on loopback behind the real SDK, and a clock that is told. */
export interface World {
  readonly root: string;
  readonly emulator: Emulator;
  /** All that outlives a process: the repository, the emulator's memory, and what the machine keeps elsewhere. */
  readonly folders: readonly string[];
  readonly machine: Machine;
  readonly said: readonly LogEntry[];
  /** Writes or replaces files of the repository. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** One pass and its reports. */
  pass(): Promise<PassResult>;
  /** Passes, a second or more apart, until nothing comes by itself any more. */
  finish(mostStepMs?: number): Promise<FleetReport>;
  /** A process that knows nothing of the one before: what is in memory is gone. */
  restart(): Promise<void>;
  /** A machine that has nothing but git and the store: ledgers, work folders, sinks and uncommitted reports are gone. */
  loseMachine(): Promise<void>;
  /** From now on the clock of the machine goes so much ahead of the provider's. */
  clockAhead(ms: number): void;
  /** Ends the world before its test does: tests with hundreds of them would keep all open. */
  end(): Promise<void>;
  /** As a pass would get it now, with the journal read. */
  context(): Promise<PassContext>;
  plan(): Promise<readonly Action[]>;
  report(job?: string): Promise<JobReport>;
  journal(): Promise<JournalState>;
  /** Rows of the Parquet sink, by key. */
  rows(path?: string): Promise<Record<string, unknown>[]>;
  /** Requests that the emulator has charged for. */
  paid(): Promise<RequestEntry[]>;
}

export const TICKETS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => ({
  id: `T-${id}`,
  text: `Ticket ${id}: the wheel is bent`,
}));

/** One job of eight tickets, no canary, answers in a Parquet file. */
export function repository(job: string = '', rows: readonly object[] = TICKETS): Record<string, string> {
  return {
    'batchwright.yaml':
      'apiVersion: batchwright/v1\nproviders:\n  openai: { kind: openai, base_url: EMULATOR, api_key_env: TEST_KEY, account: test, emulator: true }\n',
    'jobs/tickets.yaml': `apiVersion: batchwright/v1\nname: tickets\nowner: support\nmodel: openai/gpt-5.4-mini\ninput: { files: data/tickets.jsonl, key: id }\nprompt: tickets\noutput: { schema: label.schema.json, max_tokens: 200 }\ncanary: false\n${job}`,
    'prompts/tickets/user.hbs': 'Label this ticket: {{text}}\n',
    'schemas/label.schema.json': JSON.stringify({
      type: 'object',
      additionalProperties: false,
      required: ['label', 'sure'],
      properties: { label: { type: 'string', enum: ['wheel', 'frame', 'other'] }, sure: { type: 'boolean' } },
    }),
    'data/tickets.jsonl': lines(rows),
  };
}

export function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export async function world(
  files: Readonly<Record<string, string>> = repository(),
  scenario: Scenario = {},
  machine: Machine = FOLDER,
): Promise<World> {
  const root = await testFolder();
  await machine.start(root);
  const w = await worldAt(root, await startEmulator({ clock: { mode: 'manual' }, scenario }), machine);
  await w.write(files);
  return w;
}

/** The world of a repository that stands already, and of an emulator that it takes over. */
export async function worldAt(root: string, emulator: Emulator, machine: Machine = FOLDER): Promise<World> {
  const said: LogEntry[] = [];
  let aheadMs = 0;
  let session = await open();
  let memory: PassMemory = newMemory();
  let ended = false;
  async function end(): Promise<void> {
    if (ended) return;
    ended = true;
    await session.close();
    await emulator.close();
    for (const folder of [root, emulator.dir]) await rm(folder, { recursive: true, force: true });
  }
  onTestFinished(end);

  function open(): Promise<Session> {
    return openSession({
      root,
      stateFolder: null,
      sinkRoot: root,
      env: RUNNER_ENV,
      pacing: QUICK,
      only: null,
      // Lives are short: with a snapshot each few segments every new process starts from one.
      snapshotEvery: 3,
      now: () => instantOf(emulator.clock.now() + aheadMs),
      say: (entry) => said.push(entry),
    });
  }

  async function write(changes: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(changes)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(
        join(root, path),
        text.replaceAll('EMULATOR_HOST', emulator.origin).replaceAll('EMULATOR', emulator.url),
      );
    }
    await machine.edited(root);
  }

  async function passOnce() {
    const ctx = await session.context();
    const result = await reconcileOnce(ctx, memory);
    const fleet = await describeFleet(ctx, result.rests);
    await publishReports(ctx, fleet);
    return { ctx, result, fleet };
  }

  async function finish(mostStepMs = 120_000): Promise<FleetReport> {
    let step = 1_000;
    let before = -1;
    for (let passes = 0; passes < MOST_PASSES; passes += 1) {
      const { ctx, result, fleet } = await passOnce();
      const open = Object.values(ctx.journal.state.intents).some((intent) =>
        ['intent', 'live', 'ended', 'collected'].includes(intent.phase),
      );
      const { seq } = ctx.journal.state;
      const waits = open || result.rests.some((rest) => rest.kind === 'waiting');
      if (!waits && (seq === before || (await planNow(ctx)).length === 0)) return fleet;
      // Longer steps while nothing happens: a proof of absence takes a quarter of an hour.
      step = seq === before ? Math.min(step * 2, mostStepMs) : 1_000;
      before = seq;
      emulator.clock.advance(step);
    }
    throw new Error(`still not finished after ${MOST_PASSES} passes: ${JSON.stringify(said.slice(-5))}`);
  }

  return {
    root,
    emulator,
    folders: [root, emulator.dir, ...machine.folders],
    machine,
    said,
    write,
    pass: async () => (await passOnce()).result,
    finish,
    end,
    clockAhead(ms) {
      aheadMs = ms;
    },
    loseMachine: () => machine.lose(root),
    async restart() {
      await session.close();
      session = await open();
      memory = newMemory();
    },
    async context() {
      const ctx = await session.context();
      await ctx.journal.refresh();
      return ctx;
    },
    async plan() {
      const ctx = await session.context();
      await ctx.journal.refresh();
      return (await planNow(ctx)).filter((action) => action.kind !== 'discard');
    },
    async report(job = 'tickets') {
      const ctx = await session.context();
      await ctx.journal.refresh();
      const fleet = await describeFleet(ctx, []);
      const found = fleet.jobs.find((each) => each.job === (job as JobName));
      if (found === undefined) throw new Error(`no job ${job}`);
      return found;
    },
    async journal() {
      const ctx = await session.context();
      return ctx.journal.refresh();
    },
    async rows(path = 'out/tickets.parquet') {
      reader ??= openDuck();
      return (await reader).rows<Record<string, unknown>>(
        `SELECT * FROM read_parquet(${sqlText(join(root, path))}) ORDER BY ALL`,
      );
    },
    async paid() {
      const paid: RequestEntry[] = [];
      for await (const entry of emulator.ledger())
        if (entry.kind === 'request' && entry.charged) paid.push(entry);
      return paid;
    },
  };
}

async function planNow(ctx: PassContext): Promise<readonly Action[]> {
  const { jobs } = await observeDesired(ctx);
  return plan(await takeSnapshot(ctx, jobs)).actions;
}

const MOST_PASSES = 100;

/** One for all worlds of a test file: to open another each time takes longer than what it is asked. */
let reader: Promise<Duck> | null = null;
