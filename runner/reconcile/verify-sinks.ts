import { resolve } from 'node:path';
import { jobState } from '../journal/fold.ts';
import type { AppliedState, JournalState, RunState } from '../journal/state.ts';
import { sinkRows } from '../ledger/proof.ts';
import { sinkId } from '../plan/apply.ts';
import type { Check } from '../report/verify-view.ts';
import type { SinkSpec } from '../spec/job.ts';
import { keepFrom } from './apply.ts';
import type { PassContext } from './context.ts';
import type { MadeLedger } from './verify-books.ts';
import { proved, unproved, whyOf } from './verify-check.ts';

export interface SinksOrder {
  readonly ctx: PassContext;
  readonly state: JournalState;
  readonly run: RunState;
  readonly sinks: readonly SinkSpec[];
  readonly made: MadeLedger;
}

/** Each sink of the job as it is now: the file that the newest proof speaks of, and each answer in it once. */
export async function checkSinks(order: SinksOrder): Promise<Check[]> {
  const checks: Check[] = [];
  for (const spec of order.sinks) checks.push(...(await checkSink(order, spec)));
  return checks;
}

async function checkSink(order: SinksOrder, spec: SinkSpec): Promise<Check[]> {
  const { state, run } = order;
  const id = sinkId(spec);
  const of = { job: run.job, check: 'sink', subject: id };
  const writer = jobState(state, run.job).runs.findLast((each) => each.applied[id] !== undefined);
  const proof = writer?.applied[id];
  if (writer === undefined || proof === undefined) {
    return [unproved(of, 'open', { message: 'nothing has been written to it yet', next: null })];
  }
  const found = await (await order.ctx.sink(spec)).observe();
  const again = 'the next `batchwright reconcile` writes it again, at no cost';
  if (found === null) return [unproved(of, 'wrong', { message: 'the file is missing', next: again })];
  const message = 'the file is not the one that was written';
  const file =
    found.digest === proof.digest
      ? proved(of, `the file that run ${writer.run} wrote, ${proof.rows} rows`)
      : unproved(of, 'wrong', { message, next: again });
  return spec.kind === 'parquet' ? [file, await checkRows(order, spec, writer, proof)] : [file];
}

/** Digests prove that the file is what we wrote; this, that what we wrote is what the journal calls for. */
async function checkRows(
  { ctx, state, made }: SinksOrder,
  spec: SinkSpec,
  run: RunState,
  proof: AppliedState,
): Promise<Check> {
  const of = { job: run.job, check: 'applied-once', subject: sinkId(spec) };
  const next = 'the next `batchwright reconcile` writes it again; if it stays so, please report it';
  if ('why' in made) {
    return unproved(of, 'wrong', {
      message: 'its rows cannot be compared with the answers',
      details: [made.why],
      next,
    });
  }
  const { key } = run.spec.input;
  const order = { run: run.run, key, pass: [], keepFrom: keepFrom(state, run, spec) };
  try {
    const rows = await sinkRows(made.ledger.duck, resolve(ctx.root, spec.path), order, proof.throughSeq);
    if (rows.missing + rows.surplus === 0 && rows.found === proof.rows) {
      return proved(of, `${rows.found} answers, each of them once`);
    }
    return unproved(of, 'wrong', {
      message: `${rows.found} rows instead of ${rows.expected}: ${rows.missing} missing, ${rows.surplus} too many`,
      details: rows.examples,
      next,
    });
  } catch (error) {
    return unproved(of, 'wrong', { message: 'its rows cannot be read', details: [whyOf(error)], next });
  }
}
