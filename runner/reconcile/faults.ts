import { DamagedFiles } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { machineTroubleOf } from '../machine-trouble.ts';
import type { Rest } from '../plan/action.ts';

/** The reasons of jobs that are held back by what has happened to their files, or to the machine. */
const FILES_DAMAGED = 'FilesDamaged';
export const NO_ROOM = 'NoRoom';

/** Why one job is held back where its files are damaged or a disk is full; null where it is something else. Pure. */
export function restOfFault(job: JobName, error: unknown): Rest | null {
  if (error instanceof DamagedFiles) return damagedRest(job, error);
  const trouble = machineTroubleOf(error);
  if (trouble?.kind !== 'no-room') return null;
  return { job, kind: 'blocked', reason: NO_ROOM, message: trouble.message, next: trouble.hint };
}

export function isDamage({ reason }: Pick<Rest, 'reason'>): boolean {
  return reason === FILES_DAMAGED;
}

function damagedRest(job: JobName, { message }: DamagedFiles): Rest {
  return {
    job,
    kind: 'blocked',
    reason: FILES_DAMAGED,
    message: `${message}; nothing more is sent or applied until it is back`,
    next: bringBack(job),
  };
}

/** What a person can do about damaged files. */
export function bringBack(job: JobName): string {
  return `bring it back from a backup of the state; \`batchwright verify ${job}\` names all that is damaged`;
}
