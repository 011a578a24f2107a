import { isJobName, type JobName } from '../ids.ts';
import type { PassContext } from '../reconcile/context.ts';
import { type ReadSegment, readSegments } from '../reconcile/verify/chain.ts';
import { verify } from '../reconcile/verify/verify.ts';
import { verifyJson } from '../report/verify-json.ts';
import { verifyTerminal } from '../report/verify-terminal.ts';
import type { CheckState, Verification } from '../report/verify-view.ts';
import { type Common, EXIT } from './common.ts';
import { sessionAt, unknownJob } from './session.ts';

/**
 * Proves journal, files, books and sinks, or names what is not so. Exit code 0 where nothing is wrong, 5 where something
 * is, 4 where journal or files are lost. It reads the journal by itself: the usual reader stops at the first damage.
 */
export async function runVerify(options: Common & { readonly jobs: readonly string[] }): Promise<number> {
  const session = await sessionAt(options);
  try {
    const ctx = await session.context();
    const segments = await readSegments(ctx.store);
    const result = await verify(ctx, segments, jobsOf(options.jobs, ctx, segments));
    options.out(
      options.json
        ? `${JSON.stringify(verifyJson(result), null, 2)}\n`
        : verifyTerminal(result, { color: options.color }),
    );
    return exitCode(result);
  } finally {
    await session.close();
  }
}

/** Those that were named, else all that the journal knows: also such as git has no more. */
function jobsOf(names: readonly string[], ctx: PassContext, segments: readonly ReadSegment[]): JobName[] {
  const told = new Set(segments.flatMap(({ segment }) => segment?.events ?? []).map(({ job }) => job));
  if (names.length === 0) return [...told].sort();
  return names.map((name) => {
    const isKnown = ctx.repository.jobs.some(({ job }) => job.name === name);
    if (isJobName(name) && (told.has(name) || isKnown)) return name;
    throw unknownJob(name, ctx.repository);
  });
}

function exitCode({ checks }: Verification): number {
  const has = (state: CheckState) => checks.some((check) => check.state === state);
  if (has('lost')) return EXIT.stateConflict;
  return has('wrong') ? EXIT.partly : EXIT.ok;
}
