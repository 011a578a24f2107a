import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSession, type Session } from '../../runner/context.ts';
import { instantOf } from '../../runner/ids.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import type { LogEntry, PassContext } from '../../runner/reconcile/context.ts';
import { describeFleet, publishReports } from '../../runner/reconcile/describe/publish.ts';
import { newMemory } from '../../runner/reconcile/memory.ts';
import { reconcileOnce } from '../../runner/reconcile/pass.ts';
import type { JobReport } from '../../runner/report/report.ts';
import { DAY, HOUR, MINUTE } from '../fake/clock.ts';
import { type Fake, type FakeOptions, startFake } from '../fake/server.ts';
import { testFolder } from '../support/folder.ts';
import { RUNNER_ENV } from '../support/machine.ts';
import { answerTicket, makeTickets, placeFiles } from './place.ts';
import type { Schedule } from './schedule.ts';

/** How a job stands after a pass. */
export interface Step {
  /** Milliseconds since the fake began. */
  readonly at: number;
  readonly seq: number;
  readonly report: JobReport;
}

/** A job that was led through a schedule, and what is left of it. */
export interface Walk {
  readonly fake: Fake;
  readonly root: string;
  readonly steps: readonly Step[];
  readonly said: readonly LogEntry[];
  context(): Promise<PassContext>;
  /** Ends it before its test does: tests with many of them would keep all open. */
  end(): Promise<void>;
}

/** A repository in a folder of its own, and the providers that it asks; both go when the test ends. */
export interface Place {
  readonly fake: Fake;
  readonly root: string;
}

/** Leads a job through a schedule, with passes at a person's pace by the fake's clock, until nothing comes by itself. */
export async function walkThrough(schedule: Schedule): Promise<Walk> {
  return walkOn(await startPlace(schedule), schedule);
}

/** Begins a schedule, without any pass. */
export async function startPlace(schedule: Schedule, more: Partial<FakeOptions> = {}): Promise<Place> {
  const root = await testFolder();
  const { provider, lies, plan, planFor, quirks, rows = 6, job = '', real = false } = schedule;
  const fake = await startFake({
    answer: answerTicket,
    plan: { runMs: 4 * MINUTE, ...plan },
    ...(planFor === undefined ? {} : { planFor: (_provider, nth) => planFor(nth) }),
    ...(quirks === undefined ? {} : { quirks }),
    lies,
    ...more,
  });
  await writeFiles(
    root,
    placeFiles(provider, fake.baseUrls[provider], { job, rows: makeTickets(rows), real }),
  );
  return { fake, root };
}

/** Goes on from where a place stands. */
export async function walkOn({ fake, root }: Place, schedule: Schedule): Promise<Walk> {
  const said: LogEntry[] = [];
  const session = await openSession({
    root,
    stateFolder: null,
    sinkRoot: root,
    env: RUNNER_ENV,
    pacing: PATIENT,
    only: null,
    snapshotEvery: 3,
    now: () => instantOf(fake.clock.now()),
    say: (entry) => said.push(entry),
  });
  const end = once(async () => {
    await session.close();
    await fake.close();
    await rm(root, { recursive: true, force: true });
  });
  onTestFinished(end);
  const steps = await makePasses(session, fake, schedule);
  return { fake, root, steps, said, context: () => session.context(), end };
}

async function makePasses(session: Session, fake: Fake, schedule: Schedule): Promise<Step[]> {
  const memory = newMemory();
  const steps: Step[] = [];
  let quiet = 0;
  for (const pause of pauses(schedule.days)) {
    const ctx = await session.context();
    const { rests, done } = await reconcileOnce(ctx, memory);
    const fleet = await describeFleet(ctx, rests);
    await publishReports(ctx, fleet);
    const [report] = fleet.jobs;
    if (report === undefined) throw new Error('the job is not in the report');
    const { seq } = ctx.journal.state;
    quiet = steps.at(-1)?.seq === seq && done === 0 && isDone(report) ? quiet + 1 : 0;
    steps.push({ at: fake.clock.now() - fake.clock.start, seq, report });
    if (quiet === 2) break;
    fake.clock.advance(pause);
  }
  return steps;
}

function isDone({ run, waits }: JobReport): boolean {
  return run !== null && run.books.dispositions.applied === run.books.items && waits.length === 0;
}

/** Every few minutes at first, then less and less often: what is due meanwhile is done by the next pass. */
function* pauses(days: number): Generator<number> {
  const paces = [
    { until: HOUR / 2, pause: 6 * MINUTE },
    { until: 3 * HOUR, pause: 15 * MINUTE },
    { until: 12 * HOUR, pause: HOUR },
    { until: 3 * DAY, pause: 6 * HOUR },
    { until: Number.POSITIVE_INFINITY, pause: 2 * DAY },
  ];
  for (let at = 0; at < days * DAY; ) {
    const pause = paces.find(({ until }) => at < until)?.pause ?? DAY;
    yield pause;
    at += pause;
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work();
    return done;
  };
}

async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
