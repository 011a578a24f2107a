import { type UserError, userError } from '../errors.ts';
import { isJobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { nearKeys } from '../ledger/trace.ts';
import { parseExact } from '../manifest/exact-json.ts';
import { keyOf } from '../manifest/key.ts';
import type { PassContext } from '../reconcile/context.ts';
import { traceKey } from '../reconcile/trace.ts';
import { plain } from '../report/escape.ts';
import { traceJson } from '../report/trace-json.ts';
import { traceTerminal } from '../report/trace-terminal.ts';
import { listed } from '../spec/suggest.ts';
import { type Common, EXIT } from './common.ts';
import { unknownJob, withContext } from './session.ts';

export interface TraceOptions extends Common {
  readonly job: string;
  /** The key as the source has it; of several columns one text each, or one JSON array. */
  readonly key: readonly string[];
}

/** Everything that happened to one key, from state alone. @throws UserError where no run has it. */
export async function runTrace(options: TraceOptions): Promise<number> {
  return withContext(options.root, async (ctx) => {
    const { run, ledger, sinks } = await openJob(ctx, options.job);
    const view = await traceKey(ledger, ctx.journal.state, sinks, textsOfKey(options.key));
    if (view === null) throw await unknownKey(ledger, run, options.key);
    options.out(
      options.json
        ? `${JSON.stringify(traceJson(view), null, 2)}\n`
        : traceTerminal(view, { color: options.color }),
    );
    return EXIT.ok;
  });
}

async function openJob(ctx: PassContext, name: string) {
  const job = ctx.repository.jobs.find((each) => each.job.name === name)?.job ?? null;
  const run = isJobName(name) ? currentRun(ctx.journal.state, name) : undefined;
  if (job === null && run === undefined) throw unknownJob(name, ctx.repository);
  const ledger = run === undefined ? null : await ctx.ledgers.of(run.job, job, ctx.journal.state);
  if (run === undefined || ledger === null) {
    throw userError('no-run', `job ${name} has no run yet`, 'run `batchwright reconcile` first');
  }
  return { run, ledger, sinks: (job ?? run.spec).sinks };
}

/** How the key may stand in a manifest: as it is, or as the JSON array of strings of a key of several columns. */
function textsOfKey(key: readonly string[]): string[] {
  const [only] = key;
  if (only === undefined || key.length > 1) return [JSON.stringify(key)];
  const parts = arrayIn(only);
  const joined = parts === null ? null : keyOf({ ...parts }, Object.keys(parts));
  return joined?.ok ? [only, joined.key] : [only];
}

/** Numbers in it keep their text, as they do when a row is frozen. */
function arrayIn(text: string): unknown[] | null {
  try {
    const value = parseExact(text);
    return Array.isArray(value) && value.length > 1 ? value : null;
  } catch {
    return null;
  }
}

const SUGGESTED = 5;

async function unknownKey(ledger: Ledger, run: RunState, key: readonly string[]): Promise<UserError> {
  const written = textsOfKey(key).at(-1) ?? '';
  const columns = run.spec.input.key;
  const near = await nearKeys(ledger.duck, written, SUGGESTED);
  const shape =
    columns.length === 1
      ? `A key is the text of the column \`${columns[0]}\`.`
      : `A key has ${columns.length} parts, ${listed(columns)}: give each as an argument of its own.`;
  return userError(
    'unknown-key',
    `No run of ${run.job} has a row with the key ${quoted(written)}.`,
    near.length === 0 ? shape : `Near it: ${near.map(quoted).join(', ')}. ${shape}`,
  );
}

/** Keys are hostile text, and this goes to a terminal. */
function quoted(key: string): string {
  return plain(JSON.stringify(key), 120);
}
