import type { JobName } from '../ids.ts';
import type { SegmentHeader, TryAnswered, TryIntent } from './events.ts';
import type { JournalState, TryState } from './state.ts';

/** Pure: a try before anything has come of it. */
export function announcedTry(event: TryIntent, header: SegmentHeader): TryState {
  const { type: _, job: __, ...announced } = event;
  return { ...announced, at: header.at, answered: null };
}

/** Pure: the try with its answer, where it is this one's. */
export function answeredTry(each: TryState, event: TryAnswered, header: SegmentHeader): TryState {
  if (each.attempt !== event.attempt) return each;
  const { raw, answered, usd, unknownUsd } = event;
  return { ...each, answered: { raw, answered, usd, unknownUsd, at: header.at } };
}

/** The job may have got another name since the try was announced. */
export function jobOfTry({ jobs }: JournalState, { attempt, job }: TryAnswered): JobName {
  const found = Object.entries(jobs).find(([, { tries = [] }]) =>
    tries.some((each) => each.attempt === attempt),
  );
  return (found?.[0] as JobName | undefined) ?? job;
}
