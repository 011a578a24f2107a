import { type Instant, type JobName, later } from '../ids.ts';
import type { JournalEvent } from '../journal/events.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, JobState, JournalState } from '../journal/state.ts';
import type { Action, Cancel, Plan, Rest } from './action.ts';
import { isEnding } from './cancel.ts';
import type { Fleet, Snapshot } from './snapshot.ts';
import { isOpen } from './spend.ts';

/** A deletion may be a mistake, or half of a move: until then it costs nothing to take it back. */
const GRACE_MS = 3_600_000;

/** More than this share of the jobs at once looks like a folder that was not checked out. */
const MOST_AT_ONCE = 0.3;

/**
 * Pure: what is done about jobs that the journal knows and git has no more. First a tombstone; their batches are ended
 * only when another commit still lacks them and an hour has passed. What they have is collected and kept.
 */
export function planWithdrawals(snapshot: Snapshot): Plan {
  const { fleet, journal, readOnly } = snapshot;
  if (fleet === null || readOnly !== null) return { actions: [], rests: [] };
  const gone = goneJobs(fleet, journal);
  const doubt = doubtAbout(gone, fleet, journal);
  const planned = gone.map((name) =>
    doubt === null ? planGone(name, fleet, snapshot) : leftAlone(name, doubt, journal),
  );
  return {
    actions: [...restored(fleet, journal), ...planned.flatMap(({ actions }) => actions)],
    rests: planned.flatMap(({ rests }) => rests),
  };
}

/** What the journal is to be told of these actions. */
export function tombstonesOf(actions: readonly Action[]): JournalEvent[] {
  return actions.flatMap((action): JournalEvent[] => {
    if (action.kind === 'withdraw')
      return [{ type: 'job.withdrawn', job: action.job, commit: action.commit }];
    return action.kind === 'restore' ? [{ type: 'job.returned', job: action.job }] : [];
  });
}

function goneJobs({ jobs }: Fleet, journal: JournalState): JobName[] {
  const present = new Set(jobs);
  return (Object.keys(journal.jobs) as JobName[])
    .filter((name) => !present.has(name) && jobState(journal, name).runs.length > 0)
    .sort();
}

function restored({ jobs }: Fleet, journal: JournalState): Action[] {
  return jobs
    .filter((name) => jobState(journal, name).withdrawn !== null)
    .map((job) => ({ kind: 'restore', job }));
}

/** Why nothing at all is given up, whichever job it is; null where the deletions can be believed. */
function doubtAbout(gone: readonly JobName[], fleet: Fleet, journal: JournalState): string | null {
  const [broken] = fleet.broken;
  if (broken !== undefined)
    return `${broken} cannot be read, so it may be one of the jobs that seem to be gone`;
  if (fleet.jobs.length === 0) return 'no job at all is left';
  const news = gone.filter((name) => jobState(journal, name).withdrawn === null).length;
  const before = fleet.jobs.length + news;
  if (news > before * MOST_AT_ONCE) return `${news} of ${before} jobs are gone at once, more than 30 %`;
  if (fleet.commit === null) return 'git does not say which commit lacks it';
  return fleet.dirty ? 'the work tree has changes that no commit holds' : null;
}

function planGone(name: JobName, fleet: Fleet, { journal, now }: Snapshot): Plan {
  const job = jobState(journal, name);
  const open = openIntents(job, journal);
  const { withdrawn } = job;
  if (withdrawn === null) {
    const commit = fleet.commit ?? '';
    return { actions: [{ kind: 'withdraw', job: name, commit, batches: open.length }], rests: [] };
  }
  const due = later(withdrawn.at, GRACE_MS);
  const isConfirmed = fleet.commit !== withdrawn.commit;
  if (isConfirmed && now >= due) return { actions: open.flatMap(cancelOf), rests: [] };
  if (open.length === 0) return { actions: [], rests: [] };
  return { actions: [], rests: [inGrace(name, withdrawn.commit, due, isConfirmed)] };
}

function openIntents(job: JobState, journal: JournalState): IntentState[] {
  return job.runs.flatMap((run) => intentsOf(journal, run)).filter(isOpen);
}

/** Asked again until it shows, as for any other reason. */
function cancelOf(intent: IntentState): Cancel[] {
  if (isEnding(intent)) return [];
  return [{ kind: 'cancel', job: intent.job, intent: intent.intent, why: intent.cancel?.why ?? 'withdrawn' }];
}

function inGrace(job: JobName, commit: string, due: Instant, isConfirmed: boolean): Rest {
  const until = isConfirmed
    ? `after ${due}`
    : `after ${due}, if another commit than ${commit.slice(0, 7)} lacks it too`;
  return {
    job,
    kind: 'waiting',
    reason: 'Withdrawn',
    message: `git has it no more; its batches are ended ${until}, and collected until then`,
    next: 'bring its file back to keep it',
  };
}

/** Said only where something would have been given up. */
function leftAlone(name: JobName, doubt: string, journal: JournalState): Plan {
  const open = openIntents(jobState(journal, name), journal);
  if (open.length === 0) return { actions: [], rests: [] };
  const rest: Rest = {
    job: name,
    kind: 'blocked',
    reason: 'NotPruned',
    message: `git has it no more, and nothing is given up: ${doubt}; its batches are collected`,
    next: `bring its file back, or end its batches with \`batchwright cancel ${name}\``,
  };
  return { actions: [], rests: [rest] };
}
