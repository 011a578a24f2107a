import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { runPasses } from '../runner/commands/passes.ts';
import { openSession, type Session } from '../runner/context.ts';
import type { JournalEvent } from '../runner/journal/events.ts';
import type { Journal } from '../runner/journal/journal.ts';
import { QUICK } from '../runner/plan/snapshot.ts';
import type { FleetReport } from '../runner/report/report.ts';
import { measured, PhaseClock, printResult, readOrder } from './contestant.ts';

/**
 * The task as `batchwright reconcile --watch` does it, with everything that it keeps and proves: manifest, fsynced
 * journal, raw answers, ledger, sink and reports. Only the pacing is that of a rehearsal.
 */
const { work } = readOrder();
const clock = new PhaseClock();
const session = await openSession({
  root: work,
  stateFolder: null,
  sinkRoot: work,
  env: process.env,
  pacing: QUICK,
  only: null,
  say: () => {},
});
const { fleet } = await runPasses({
  session: timed(session),
  again: true,
  until: null,
  stopping: () => false,
  async sleep(ms) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    clock.mark('wait');
  },
  onPass: () => clock.mark('report'),
});
await session.close();
checkBooks(fleet);
const result = measured(clock.phases);
printResult(await countLines(join(work, 'out/tickets.jsonl')), result);

/** The session with a journal that tells the clock what the time before each append went into. */
function timed(inner: Session): Session {
  return {
    async context() {
      const ctx = await inner.context();
      return { ...ctx, journal: timedJournal(ctx.journal) };
    },
    close: () => inner.close(),
  };
}

function timedJournal(journal: Journal): Journal {
  return {
    get state() {
      return journal.state;
    },
    refresh: () => journal.refresh(),
    keepSnapshot: () => journal.keepSnapshot(),
    async append(events) {
      const state = await journal.append(events);
      clock.mark(phaseOf(events[0]));
      return state;
    },
  };
}

function phaseOf(event: JournalEvent | undefined): string {
  switch (event?.type) {
    case 'generation.observed':
    case 'run.frozen':
      return 'freeze';
    case 'submit.intent':
    case 'submit.accepted':
      return 'submit';
    case 'batch.observed':
    case 'raw.collected':
    case 'outcomes.settled':
      return 'collect';
    case 'applied':
      return 'apply';
    default:
      return event?.type ?? 'nothing';
  }
}

function checkBooks({ jobs }: FleetReport): void {
  const [job] = jobs;
  if (job?.phase !== 'complete' || job.run?.books.balanced !== true)
    throw new Error(`the job is ${job?.phase}, its books ${JSON.stringify(job?.run?.books)}`);
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path)) {
    for (const byte of chunk as Buffer) if (byte === 0x0a) lines += 1;
  }
  return lines;
}
