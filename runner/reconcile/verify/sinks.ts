import { intentsOf, jobState } from '../../journal/fold.ts';
import type { AppliedState, JournalState, RunState } from '../../journal/state.ts';
import { type SinkRows, sinkRows } from '../../ledger/proof.ts';
import { sinkId, sinkShape } from '../../plan/apply.ts';
import { count, many } from '../../report/text.ts';
import type { Check } from '../../report/verify-view.ts';
import type { Sink } from '../../sink/port.ts';
import type { Job, SinkSpec } from '../../spec/job.ts';
import { keepFrom } from '../apply.ts';
import type { PassContext } from '../context.ts';
import type { MadeLedger } from './books.ts';
import { type CheckOf, proved, unproved, whyOf } from './check.ts';

export interface SinksOrder {
  readonly ctx: PassContext;
  readonly state: JournalState;
  /** As git has it; of its newest run where git has it no more. */
  readonly job: Job;
  readonly made: MadeLedger;
}

/** Each sink of the job as it is now: the file that the newest proof speaks of, and each answer in it once. */
export async function checkSinks(order: SinksOrder): Promise<Check[]> {
  const checks: Check[] = [];
  for (const spec of order.job.sinks) checks.push(...(await checkSink(order, spec)));
  return checks;
}

async function checkSink(order: SinksOrder, spec: SinkSpec): Promise<Check[]> {
  const { state, job } = order;
  const id = sinkId(spec);
  const of = { job: job.name, check: 'sink', subject: id };
  const writer = jobState(state, job.name).runs.findLast((each) => each.applied[id] !== undefined);
  const proof = writer?.applied[id];
  if (writer === undefined || proof === undefined) {
    return [unproved(of, 'open', { message: 'nothing has been written to it yet', next: null })];
  }
  const sink = await order.ctx.sink(spec);
  const found = await sink.observe();
  const again = 'the next pass writes it again, at no cost';
  if (found === null) return [unproved(of, 'wrong', { message: 'the file is missing', next: again })];
  const message = 'the file is not the one that was written';
  const file =
    found.digest === proof.digest
      ? proved(of, `the file that run ${writer.run} wrote, ${many(proof.rows, 'row')}`)
      : unproved(of, 'wrong', { message, next: again });
  return spec.kind === 'parquet' ? [file, await checkRows(order, spec, sink, writer, proof)] : [file];
}

/** Digests prove that the file is what we wrote; this, that what we wrote is what the journal calls for. */
async function checkRows(
  { state, job, made }: SinksOrder,
  spec: SinkSpec,
  sink: Sink,
  run: RunState,
  proof: AppliedState,
): Promise<Check> {
  const of = { job: run.job, check: 'applied-once', subject: sinkId(spec) };
  if (proof.shape !== sinkShape(job, spec)) {
    const message = 'the job has been edited since; which rows it keeps is judged when it is written anew';
    return unproved(of, 'open', { message, next: 'the next pass writes it, at no cost' });
  }
  if (isRevisedSince(state, run, proof)) {
    const message =
      'answers were held against an edited schema or edited sinks since; what that has changed is not applied yet';
    return unproved(of, 'open', { message, next: 'the next pass writes it, at no cost' });
  }
  if ('why' in made) {
    const message = 'its rows cannot be compared with the answers';
    return unproved(of, 'wrong', { message, details: [made.why], next: AGAIN });
  }
  const { key } = run.spec.input;
  const expected = { run: run.run, key, pass: [], keepFrom: keepFrom(state, run, spec) };
  try {
    return judgeRows(of, await sinkRows(made.ledger.duck, sink.path, expected, proof.throughSeq), proof);
  } catch (error) {
    const message = 'its rows cannot be read';
    return unproved(of, 'wrong', { message, details: [whyOf(error)], next: AGAIN });
  }
}

function isRevisedSince(state: JournalState, run: RunState, { throughSeq }: AppliedState): boolean {
  return jobState(state, run.job)
    .runs.flatMap((each) => intentsOf(state, each))
    .some(({ settled }) => (settled?.revised?.seq ?? 0) > throughSeq);
}

const AGAIN = 'the next pass writes it again; if it stays so, please report it';

/** Pure. */
function judgeRows(of: CheckOf, rows: SinkRows, proof: AppliedState): Check {
  const { found, expected, missing, surplus, examples } = rows;
  if (missing + surplus === 0 && found === proof.rows) {
    return proved(of, `${many(found, 'answer')}, each of them once`);
  }
  const message = `${many(found, 'row')} instead of ${count(expected)}: ${count(missing)} missing, ${count(surplus)} too many`;
  return unproved(of, 'wrong', { message, details: examples, next: AGAIN });
}
