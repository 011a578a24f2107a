/** What the pages in a commit say, as far as the next commit depends on it. */
export interface CommittedPages {
  readonly jobs: readonly CommittedStatus[];
  /** The text of `pass.json`; null where there is none. */
  readonly note: string | null;
}

export interface CommittedStatus {
  readonly job: string;
  readonly phase: string;
  readonly run: number | null;
  /** Of the journal that the page was written from. */
  readonly seq: number;
}

/** Pure: one `status.json`. Null where it is none of ours: somebody has edited it, or it is of a later version. */
export function committedStatus(text: string): CommittedStatus | null {
  try {
    const { job, phase, run, journal } = JSON.parse(text);
    if (typeof job !== 'string' || typeof phase !== 'string') return null;
    return {
      job,
      phase,
      run: typeof run?.run === 'number' ? run.run : null,
      seq: typeof journal?.seq === 'number' ? journal.seq : 0,
    };
  } catch {
    return null;
  }
}
