import type { FleetReport, JobReport } from '../report/report.ts';
import type { CommittedPages } from './committed.ts';

/** What a commit of the pages would tell that the last one does not. */
export interface News {
  /** Jobs whose phase or run is another, as they stand now. */
  readonly jobs: readonly JobReport[];
  /** What was seen of git, or whether anything comes by itself, is another: the schedule reads it. */
  readonly schedule: boolean;
}

export type Worth =
  | { readonly kind: 'news'; readonly news: News }
  | { readonly kind: 'nothing' }
  /** The branch has pages of a later state of the journal: ours would turn them back. */
  | { readonly kind: 'outdated' };

/**
 * Pure: whether the pages are worth a commit. Each look at a batch changes a page; a reader wants to be told when
 * something has happened.
 */
export function worthOf(fleet: FleetReport, note: string, committed: CommittedPages): Worth {
  const seqs = fleet.jobs.flatMap(({ journal }) => journal?.seq ?? []);
  const ours = Math.max(0, ...seqs);
  const theirs = Math.max(0, ...committed.jobs.map(({ seq }) => seq));
  if (theirs > ours) return { kind: 'outdated' };
  const jobs = fleet.jobs.filter((report) => isNews(report, committed));
  const schedule = scheduleOf(note) !== scheduleOf(committed.note);
  return jobs.length === 0 && !schedule ? { kind: 'nothing' } : { kind: 'news', news: { jobs, schedule } };
}

function isNews(report: JobReport, committed: CommittedPages): boolean {
  const before = committed.jobs.find(({ job }) => job === report.job);
  return before?.phase !== report.phase || before.run !== (report.run?.run ?? null);
}

/** `now` and a time both mean that work goes on; which time is no news. */
function scheduleOf(note: string | null): string | null {
  if (note === null) return null;
  try {
    const { seen, next_look } = JSON.parse(note) as { seen?: unknown; next_look?: unknown };
    return JSON.stringify([seen, next_look === null]);
  } catch {
    return null;
  }
}
