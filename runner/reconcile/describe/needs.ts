import type { NeedyGroup } from '../../ledger/needs.ts';
import type { Books, Need } from '../../report/report.ts';
import type { Job } from '../../spec/job.ts';
import { advise } from './advice.ts';

type Dispositions = Books['dispositions'];

/** Pure: one line a class, with its top cause; most rows first. `next`: what lifts the stop of the run, if it has one. */
export function needsOf(
  groups: readonly NeedyGroup[],
  dispositions: Dispositions,
  job: Job,
  next: string | null,
): Need[] {
  const classes = [...new Set(groups.map((group) => group.class))];
  const isEvery = groups.length === 1 && isNothingAnswered(dispositions);
  return classes
    .map((of) =>
      needOf(
        of,
        groups.filter((group) => group.class === of),
        (group) => adviceFor(group, isEvery, job, next),
      ),
    )
    .sort((a, b) => b.rows - a.rows);
}

/** Where all rows of a shard stopped the run, one thing is to be done about all of them. */
function adviceFor(group: NeedyGroup, isEvery: boolean, job: Job, next: string | null): string {
  if (group.stopped && next !== null) return next;
  return advise({ class: group.class, cause: group.cause, isEvery: isEvery && group.rows > 1 }, job);
}

function needOf(
  of: Need['class'],
  groups: readonly NeedyGroup[],
  advice: (group: NeedyGroup) => string,
): Need {
  const [top] = groups;
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const cause = top?.cause ?? '';
  return {
    rows,
    class: of,
    cause,
    causeRows: top?.rows ?? 0,
    examples: top?.examples ?? [],
    next: top === undefined ? '' : advice(top),
  };
}

/** Pure: true where nothing of a run is answered and all that needs a person ended for one reason. */
export function isOneReason(needs: readonly Need[], dispositions: Dispositions): boolean {
  const [need, ...others] = needs;
  if (need === undefined || others.length > 0) return false;
  return need.rows > 1 && need.causeRows === need.rows && isNothingAnswered(dispositions);
}

function isNothingAnswered({ applied = 0, reused = 0, valid_not_applied = 0 }: Dispositions): boolean {
  return applied + reused + valid_not_applied === 0;
}
