import { join } from 'node:path';
import { readTextOrNull } from '../files.ts';
import type { JobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import type { Plan, Rest } from '../plan/action.ts';
import type { PassContext } from './context.ts';

/**
 * Why jobs rest, for verbs that only look: as the plan says, and, where a pass would act but the last one could not
 * (no key, over a budget, no network), as that pass wrote down. A look sends nothing, so it cannot find out by itself.
 */
export async function restsForALook(ctx: PassContext, planned: Plan): Promise<Rest[]> {
  const acting = new Set(
    planned.actions.filter(({ kind }) => kind === 'new_run' || kind === 'submit').map(({ job }) => job),
  );
  const held = await Promise.all([...acting].map((job) => heldByLastPass(ctx, job)));
  return [...planned.rests, ...held.filter((rest) => rest !== null)];
}

interface WrittenStatus {
  readonly journal: { readonly seq: number } | null;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
  readonly waits: readonly { readonly waits_for: string; readonly command: string | null }[];
}

/** A file that a merge has left in pieces says nothing; the next pass writes it anew. */
function parsed(text: string): WrittenStatus | null {
  try {
    return JSON.parse(text) as WrittenStatus;
  } catch {
    return null;
  }
}

/** Null where the job has moved on since its status was written, or nothing held it back. */
async function heldByLastPass(ctx: PassContext, job: JobName): Promise<Rest | null> {
  const text = await readTextOrNull(join(ctx.stateFolder, job, 'status.json'));
  if (text === null) return null;
  const status = parsed(text);
  if (status === null) return null;
  if ((status.journal?.seq ?? 0) !== (jobState(ctx.journal.state, job).mark?.seq ?? 0)) return null;
  const held = status.conditions.find(
    ({ type, status: is }) =>
      (type === 'Stalled' && is === 'True') || (type === 'Approved' && is === 'False'),
  );
  if (held === undefined) return null;
  // The condition's message ends with what to do; the wait keeps the two apart.
  const wait = status.waits.find(({ waits_for }) => held.message.startsWith(waits_for));
  // What held it back may have been mended since: only a pass can tell.
  const message = `${wait?.waits_for ?? held.message} (so the last pass found)`;
  return { job, kind: 'blocked', reason: held.reason, message, next: wait?.command ?? null };
}
