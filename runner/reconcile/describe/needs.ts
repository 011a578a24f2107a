import type { NeedyGroup } from '../../ledger/needs.ts';
import type { Books, Need } from '../../report/report.ts';
import type { Job } from '../../spec/job.ts';
import { advise } from './advice.ts';

type Dispositions = Books['dispositions'];

/** Pure: one line a class, with its top cause; most rows first. */
export function needsOf(groups: readonly NeedyGroup[], dispositions: Dispositions, job: Job): Need[] {
  const classes = [...new Set(groups.map((group) => group.class))];
  const isEvery = groups.length === 1 && isNothingAnswered(dispositions);
  return classes
    .map((of) =>
      needOf(
        of,
        groups.filter((group) => group.class === of),
        isEvery,
        job,
      ),
    )
    .sort((a, b) => b.rows - a.rows);
}

function needOf(of: Need['class'], groups: readonly NeedyGroup[], isEvery: boolean, job: Job): Need {
  const [top] = groups;
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const cause = top?.cause ?? '';
  return {
    rows,
    class: of,
    cause,
    causeRows: top?.rows ?? 0,
    examples: top?.examples ?? [],
    next: advise({ class: of, cause, isEvery: isEvery && rows > 1 }, job),
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
