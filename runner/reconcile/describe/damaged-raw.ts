import { DamagedFiles } from '../../errors.ts';
import type { JobName } from '../../ids.ts';
import { currentRun } from '../../journal/fold.ts';
import { rawFiles } from '../../plan/stored.ts';
import type { Wait } from '../../report/report.ts';
import type { PassContext } from '../context.ts';
import { bringBack } from '../faults.ts';
import { storedPath } from '../stored.ts';

/**
 * Raw files of the current run that are gone or of another size. Nothing waits for them: what they hold stands in the
 * outcomes too. They are told all the same, since nobody could read the answers again by another schema.
 */
export async function damagedRaw(ctx: PassContext, job: JobName): Promise<Wait[]> {
  const run = currentRun(ctx.journal.state, job);
  const found: string[] = [];
  for (const file of run === undefined ? [] : rawFiles(ctx.journal.state, run)) {
    const why = await storedPath(ctx.store, file).then(() => null, whyDamaged);
    if (why !== null) found.push(why);
  }
  const [first] = found;
  if (first === undefined) return [];
  const more = found.length === 1 ? '' : `; and ${found.length - 1} more`;
  const waitsFor =
    'somebody to bring it back; its answers stand in the outcomes, and nothing else waits for it';
  return [{ what: `${first}${more}`, waitsFor, until: null, command: bringBack(job) }];
}

function whyDamaged(error: unknown): string {
  if (!(error instanceof DamagedFiles)) throw error;
  return error.message;
}
