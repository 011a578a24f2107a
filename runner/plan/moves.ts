import type { JobMoved } from '../journal/events.ts';
import { currentRun } from '../journal/fold.ts';
import type { JournalState } from '../journal/state.ts';
import type { Job } from '../spec/job.ts';

/**
 * Pure: jobs that git has under a new name and says so (`moved_from`). Their runs, answers and money go along, so
 * nothing is sent again. Done once: afterwards the new name has runs of its own.
 */
export function planMoves(jobs: readonly Job[], state: JournalState): JobMoved[] {
  const names = new Set(jobs.map((job) => job.name));
  return jobs.flatMap(({ name, movedFrom }): JobMoved[] => {
    if (movedFrom === null || names.has(movedFrom)) return [];
    const moves = currentRun(state, name) === undefined && currentRun(state, movedFrom) !== undefined;
    return moves ? [{ type: 'job.moved', job: name, from: movedFrom }] : [];
  });
}
