import { type UserError, userError } from '../errors.ts';
import type { Common } from './common.ts';

/** A job that git knows and nobody has sent yet. */
export function noRun(job: string, { rehearsal }: Pick<Common, 'rehearsal'>): UserError {
  return rehearsal
    ? userError(
        'no-run',
        `job ${job} has not been rehearsed yet`,
        `run \`batchwright rehearse ${job}\` first`,
      )
    : userError(
        'no-run',
        `job ${job} has no run yet`,
        'run `batchwright reconcile` first; with --rehearsal you see what `batchwright rehearse` has left',
      );
}
