import { type UserError, userError } from '../errors.ts';
import { isJobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { nearKeys, someKey } from '../ledger/trace.ts';
import { parseExact } from '../manifest/exact-json.ts';
import { keyOf } from '../manifest/key.ts';
import type { PassContext } from '../reconcile/context.ts';
import { traceKey } from '../reconcile/inspect/trace.ts';
import { plain } from '../report/escape.ts';
import { traceJson } from '../report/trace-json.ts';
import { traceTerminal } from '../report/trace-terminal.ts';
import { listed } from '../spec/suggest.ts';
import { type Common, EXIT } from './common.ts';
import { noRun } from './no-run.ts';
import { unknownJob, withContext } from './session.ts';

export interface TraceOptions extends Common {
  readonly job: string;
  /** The key as the source has it; of several columns one text each, or one JSON array. */
  readonly key: readonly string[];
}

/** Everything that happened to one key, from state alone. @throws UserError where no run has it. */
export async function runTrace(options: TraceOptions): Promise<number> {
  return withContext(options, async (ctx) => {
    const { run, ledger, sinks } = await openJob(ctx, options.job, options);
    await ledger.prove();
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

async function openJob(ctx: PassContext, name: string, options: Pick<Common, 'rehearsal'>) {
  const job = ctx.repository.jobs.find((each) => each.job.name === name)?.job ?? null;
  const run = isJobName(name) ? currentRun(ctx.journal.state, name) : undefined;
  if (job === null && run === undefined) throw unknownJob(name, ctx.repository);
  const ledger = run === undefined ? null : await ctx.ledgers.of(run.job, job, ctx.journal.state);
  if (run === undefined || ledger === null) {
    throw noRun(name, options);
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

async function unknownKey({ duck }: Ledger, run: RunState, key: readonly string[]): Promise<UserError> {
  const written = textsOfKey(key).at(-1) ?? '';
  const near = await nearKeys(duck, written, SUGGESTED);
  const hint = near.length > 0 ? `Near it: ${near.map(asTyped).join(', ')}.` : await shapeOfKeys(duck, run);
  return userError('unknown-key', `No run of ${run.job} has a row with the key ${asTyped(written)}.`, hint);
}

async function shapeOfKeys(duck: Ledger['duck'], run: RunState): Promise<string> {
  const columns = run.spec.input.key;
  const some = await someKey(duck);
  const example = some === null ? '' : `, for example ${asTyped(some)}`;
  if (columns.length === 1) return `A key is the text of the column ${listed(columns)}${example}.`;
  return `A key has ${columns.length} parts, ${listed(columns)}, each an argument of its own${example}.`;
}

/** A key as its arguments. Keys are hostile text, and this goes to a terminal. */
function asTyped(key: string): string {
  const parts = arrayIn(key) ?? [key];
  return parts.map((part) => plain(JSON.stringify(part), 120)).join(' ');
}
