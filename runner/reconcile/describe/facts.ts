import { intentsOf, jobState } from '../../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../../journal/state.ts';
import type { Rest } from '../../plan/action.ts';
import { GATE_REASONS } from '../../plan/gate.ts';
import type { JobFacts, RunFacts } from '../../report/phase.ts';
import type { RunReport } from '../../report/report.ts';
import type { LoadedJob } from '../../spec/job.ts';
import { unreadableOnes } from './ambiguous.ts';

interface Known {
  readonly loaded: LoadedJob;
  readonly state: JournalState;
  readonly run: RunState | undefined;
  readonly report: RunReport | null;
  readonly rests: readonly Rest[];
}

/** Pure: what phase and conditions follow from. */
export function factsOf(known: Known): JobFacts {
  const { suspend, name } = known.loaded.job;
  const generation = jobState(known.state, name).generations.at(-1);
  const suspended = known.rests.some((rest) => rest.kind === 'suspended');
  return {
    generation: generation?.generation ?? null,
    generationAt: generation?.at ?? null,
    invalid: null,
    suspended: suspended && suspend !== null ? { reason: suspend.reason, until: suspend.until } : null,
    ...heldBack(known),
    run:
      known.run === undefined || known.report === null
        ? null
        : runFacts(known.state, known.run, known.report),
  };
}

/** Before anything was frozen it is the gate that blocks; afterwards the run has stalled. */
function heldBack(known: Known): Pick<JobFacts, 'blocked' | 'stalled'> {
  const { rests, run, report } = known;
  const rest = rests.find((each) => each.kind === 'blocked');
  if (rest === undefined) return { blocked: null, stalled: findStopped(known) ?? undecidable(known) };
  const { reason, message } = rest;
  if (GATES.has(reason))
    return { blocked: { reason, message, approval: reason === 'AwaitingApproval' }, stalled: null };
  const stop = report?.stop?.reason === reason ? report.stop.since : null;
  const since = stop ?? (run === undefined ? null : run.frozenAt);
  return { blocked: null, stalled: { kind: 'stalled', reason, message, next: rest.next ?? '', since } };
}

/** What came back stops the run also where no plan was made for it: the page says so all the same. */
function findStopped({ report, rests }: Known): JobFacts['stalled'] {
  const stop = report?.stop ?? null;
  if (stop === null || rests.length > 0) return null;
  return { kind: 'stalled', ...stop };
}

/** A create without an answer that no pass can settle any more. */
function undecidable({ state, run }: Known): JobFacts['stalled'] {
  const intents = run === undefined ? [] : intentsOf(state, run);
  const intent = intents.find((each) => each.phase === 'intent' && unreadableOnes(each).length > 0);
  if (intent === undefined) return null;
  const message = `nobody but a person can tell whether shard ${intent.shard} was sent`;
  const next = `batchwright cancel ${intent.job} --lost ${intent.intent}`;
  return { kind: 'stalled', reason: 'AmbiguousSubmission', message, next, since: intent.at };
}

const GATES: ReadonlySet<string> = new Set(GATE_REASONS);

function runFacts(state: JournalState, run: RunState, report: RunReport): RunFacts {
  const intents = intentsOf(state, run);
  const shards = intents.filter((intent) => intent.kind !== 'canary');
  const { canary } = report;
  return {
    run: run.run,
    generation: run.generation,
    frozenAt: run.frozenAt,
    changedAt: changedAt(run, intents),
    items: run.manifest.items,
    dispositions: report.books.dispositions,
    balanced: report.books.balanced,
    canary: canary === null ? 'none' : !canary.judged ? 'open' : canary.passed ? 'passed' : 'failed',
    live: shards.filter((intent) => intent.phase === 'live' || intent.phase === 'intent').length,
    ended: shards.filter((intent) => intent.phase === 'ended' || intent.phase === 'collected').length,
    settled: shards.filter((intent) => intent.phase === 'settled').length,
  };
}

function changedAt(run: RunState, intents: readonly IntentState[]) {
  const times = [run.frozenAt, ...Object.values(run.applied).map((proof) => proof.at)];
  for (const intent of intents)
    times.push(intent.at, ...(intent.settled === null ? [] : [intent.settled.at]));
  return times.sort().at(-1) ?? run.frozenAt;
}
