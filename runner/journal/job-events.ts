import type { JobName } from '../ids.ts';

/** What git, or a person, says of a job as a whole. */
export type JobEvent = RunRequested | JobMoved | JobWithdrawn | JobReturned;

/** A person wants a new run of the job as it is, with the source read again. */
export interface RunRequested {
  readonly type: 'run.requested';
  readonly job: JobName;
  readonly reason: string;
  readonly by: string;
}

/** The job has another name in git; everything that was said about the old one is about this one from here on. */
export interface JobMoved {
  readonly type: 'job.moved';
  readonly job: JobName;
  readonly from: JobName;
}

/** The tombstone of a job that git has no more, with the commit that lacked it first. Nothing is given up yet. */
export interface JobWithdrawn {
  readonly type: 'job.withdrawn';
  readonly job: JobName;
  readonly commit: string;
}

/** Git has the job again. */
export interface JobReturned {
  readonly type: 'job.returned';
  readonly job: JobName;
}
