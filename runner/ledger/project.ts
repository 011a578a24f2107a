import { type Duck, sqlTexts } from '../duck.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, RunState } from '../journal/state.ts';
import { carryAttempts, closeAll, reopenIfRevised } from './close.ts';
import { policyOf, projectDecisions } from './decisions.ts';
import { factsDigest } from './facts-key.ts';
import type { ProjectionInput } from './input.ts';

/**
 * Brings the ledger up to the fold. Level-based: it compares what stands in the tables with what the fold says and
 * adds what is missing, so it does not matter how far behind the ledger was. One transaction.
 *
 * `before`: what was last projected into this very ledger; what has not changed since is passed over. Null: not known.
 */
export async function project(
  duck: Duck,
  input: ProjectionInput,
  before: ProjectionInput | null,
): Promise<void> {
  const { runs } = jobState(input.state, input.job);
  const moved: IntentState[] = [];
  await duck.run('BEGIN');
  try {
    const known = (await reopenIfRevised(duck, input, before)) ? null : before;
    for (const run of runs) moved.push(...(await projectRun(duck, run, input, known)));
    await closeAll(duck, moved, input);
    await carryAttempts(duck, runs);
    await projectStandings(duck, input, known);
    await duck.run('UPDATE meta SET lineage = $lineage, journal_seq = $seq, head = $head, facts = NULL', {
      lineage: input.state.lineage,
      seq: input.state.seq,
      head: input.state.head,
    });
    await duck.run('COMMIT');
  } catch (error) {
    // DuckDB itself ends a transaction whose commit failed, and may be past answering: what went wrong first is told.
    await duck.run('ROLLBACK').catch(() => {});
    throw error;
  }
  const isDecidedAnew =
    moved.some(({ settled }) => settled !== null) || before === null || policyOf(before) !== policyOf(input);
  if (isDecidedAnew) await projectDecisions(duck, input.retry);
  // Last of all: until then whoever opens the file has to project it again.
  await duck.run('UPDATE meta SET facts = $facts', { facts: factsDigest(input) });
}

/** Inserts what is new of a run; gives the intents whose attempts have to be closed. */
async function projectRun(
  duck: Duck,
  run: RunState,
  input: ProjectionInput,
  earlier: ProjectionInput | null,
): Promise<IntentState[]> {
  const news = newsOf(run, input, earlier);
  if (news === null) return [];
  const known = earlier === null ? await standingPart(duck, run) : projectedPart(run, earlier);
  if (!known.isThere) await insertRun(duck, run, input);
  const moved: IntentState[] = [];
  for (const intent of news) {
    const before = known.phases.get(intent.shard);
    if (before === undefined) await insertShard(duck, intent, run, input);
    if (before !== intent.phase) moved.push(intent);
    await updateShard(duck, intent);
    if (intent.released.length > 0) await replaceReleased(duck, intent);
  }
  if (known.run?.applied !== run.applied) await replaceApplied(duck, run);
  if (known.run?.pardons !== run.pardons) await replacePardons(duck, run);
  return moved;
}

/** What the tables hold of a run. */
interface KnownRun {
  readonly isThere: boolean;
  /** By shard; null where its attempts were opened again. */
  readonly phases: ReadonlyMap<number, string | null>;
  /** As it was projected; null where only the tables know. */
  readonly run: RunState | null;
}

async function standingPart(duck: Duck, { run }: RunState): Promise<KnownRun> {
  const found = await duck.rows('SELECT 1 FROM run WHERE run = $run', { run });
  const shards = await duck.rows<{ shard: number; phase: string | null }>(
    'SELECT shard, phase FROM shard WHERE run = $run',
    { run },
  );
  const phases = new Map(shards.map((row) => [row.shard, row.phase]));
  return { isThere: found.length > 0, phases, run: null };
}

/** The same without a question: what was projected last stands there. */
function projectedPart({ run }: RunState, { state, job }: ProjectionInput): KnownRun {
  const before = jobState(state, job).runs.find((each) => each.run === run) ?? null;
  const intents = before === null ? [] : intentsOf(state, before);
  const phases = new Map(intents.map(({ shard, phase }) => [shard, phase]));
  return { isThere: before !== null, phases, run: before };
}

/** The intents of a run that are not as they were; null where nothing of the run has changed. The fold keeps what it does not touch. */
function newsOf(
  run: RunState,
  input: ProjectionInput,
  earlier: ProjectionInput | null,
): readonly IntentState[] | null {
  const intents = intentsOf(input.state, run);
  if (earlier === null) return intents;
  const changed = intents.filter((intent) => earlier.state.intents[intent.intent] !== intent);
  const isSame = jobState(earlier.state, input.job).runs.includes(run);
  return isSame && changed.length === 0 ? null : changed;
}

async function insertRun(duck: Duck, run: RunState, input: ProjectionInput): Promise<void> {
  await duck.run(
    `INSERT INTO run VALUES ($run, $generation, $account, $emulator, $items, $set_aside, $manifest, $reason,
       $frozen_at::TIMESTAMP, 'current', 0, $estimated)`,
    {
      run: run.run,
      generation: run.generation,
      account: run.account,
      emulator: run.emulator,
      items: run.manifest.items,
      set_aside: run.manifest.setAside,
      manifest: run.manifest.digest,
      reason: run.reason,
      frozen_at: run.frozenAt,
      estimated: run.estimate.usd,
    },
  );
  const parts = await Promise.all(run.manifest.parts.map((part) => input.provenPathOf(part)));
  if (parts.length === 0) return;
  await duck.run(
    `INSERT INTO item SELECT ${run.run}, ordinal, request_hash::UUID, problem IS NOT NULL FROM read_parquet(${sqlTexts(parts)})`,
  );
}

async function insertShard(
  duck: Duck,
  intent: IntentState,
  run: RunState,
  input: ProjectionInput,
): Promise<void> {
  await duck.run(
    'INSERT INTO shard (run, shard, intent, kind, phase, items, announced_at, second_of) VALUES ($run, $shard, $intent, $kind, NULL, $items, $at::TIMESTAMP, $second_of)',
    {
      run: run.run,
      shard: intent.shard,
      intent: intent.intent,
      kind: intent.kind,
      items: intent.count,
      at: intent.at,
      second_of: intent.secondOf === null ? null : (input.state.intents[intent.secondOf]?.shard ?? null),
    },
  );
  await duck.run(
    'INSERT INTO spend (run, shard, account, emulator, reserved_usd) VALUES ($run, $shard, $account, $emulator, $reserved)',
    {
      run: run.run,
      shard: intent.shard,
      account: intent.account,
      emulator: run.emulator,
      reserved: intent.reservedUsd,
    },
  );
  const ranges = intent.ordinals.map(([first, last]) => `(${first}, ${last})`).join(', ');
  await duck.run(
    `INSERT INTO attempt (run, shard, ordinal, class) SELECT ${run.run}, ${intent.shard}, unnest(range(first, last + 1)), NULL FROM (VALUES ${ranges}) AS r(first, last)`,
  );
}

async function updateShard(duck: Duck, intent: IntentState): Promise<void> {
  await duck.run(
    `UPDATE shard SET phase = $phase, batch = $batch, batch_state = $state, created_at = $created::TIMESTAMP,
       ended_at = $ended::TIMESTAMP, settled_seq = $seq, settled_at = $settled::TIMESTAMP, outcomes = $outcomes, cancelled_by = $cancelled,
       revised_seq = $revised, revised_at = $revised_at::TIMESTAMP
     WHERE run = $run AND shard = $shard`,
    {
      run: intent.run,
      shard: intent.shard,
      phase: intent.phase,
      batch: intent.batch?.id ?? null,
      state: intent.batch?.state ?? null,
      created: intent.batch?.createdAt ?? null,
      ended: intent.batch?.endedAt ?? null,
      seq: intent.settled?.seq ?? null,
      settled: intent.settled?.at ?? null,
      outcomes: intent.settled?.outcomes.name ?? null,
      cancelled: intent.cancel?.why ?? null,
      revised: intent.settled?.revised?.seq ?? null,
      revised_at: intent.settled?.revised?.at ?? null,
    },
  );
  await duck.run(
    `UPDATE spend SET settled_usd = $usd, wasted_usd = $wasted, input_tokens = $input, output_tokens = $output,
       cached_tokens = $cached, settled_at = $at::TIMESTAMP WHERE run = $run AND shard = $shard`,
    {
      run: intent.run,
      shard: intent.shard,
      usd: intent.settled?.usd ?? null,
      wasted: intent.settled?.wastedUsd ?? null,
      input: intent.settled?.summary.usage.inputTokens ?? null,
      output: intent.settled?.summary.usage.outputTokens ?? null,
      cached: intent.settled?.summary.usage.cachedTokens ?? null,
      at: intent.settled?.at ?? null,
    },
  );
}

async function replaceReleased(duck: Duck, { run, shard, released }: IntentState): Promise<void> {
  await duck.run('DELETE FROM released WHERE run = $run AND shard = $shard', { run, shard });
  const ranges = released.map(([first, last]) => `(${first}, ${last})`).join(', ');
  await duck.run(
    `INSERT INTO released SELECT ${run}, ${shard}, unnest(range(first, last + 1)) FROM (VALUES ${ranges}) AS r(first, last)`,
  );
}

async function replaceApplied(duck: Duck, run: RunState): Promise<void> {
  await duck.run('DELETE FROM applied WHERE run = $run', { run: run.run });
  for (const [sink, proof] of Object.entries(run.applied)) {
    await duck.run(
      'INSERT INTO applied VALUES ($run, $sink, $path, $digest, $rows, $through, $at::TIMESTAMP)',
      {
        run: run.run,
        sink,
        path: proof.path,
        digest: proof.digest,
        rows: proof.rows,
        through: proof.throughSeq,
        at: proof.at,
      },
    );
  }
}

async function projectStandings(
  duck: Duck,
  input: ProjectionInput,
  earlier: ProjectionInput | null,
): Promise<void> {
  const before = new Map(earlier === null ? [] : standings(earlier).map((each) => [each.run, each]));
  for (const { run, standing, through } of standings(input)) {
    const known = before.get(run);
    if (known?.standing === standing && known.through === through) continue;
    await duck.run('UPDATE run SET standing = $standing, through_seq = $through WHERE run = $run', {
      run,
      standing,
      through,
    });
  }
}

interface Standing {
  readonly run: number;
  readonly standing: 'current' | 'superseded' | 'withdrawn';
  readonly through: number;
}

function standings({ state, job, sinks, withdrawn }: ProjectionInput): Standing[] {
  const { runs } = jobState(state, job);
  return runs.map((run) => {
    if (run !== runs.at(-1))
      return {
        run: run.run,
        standing: 'superseded',
        through: throughSeq(run, Object.keys(run.applied)),
      };
    return { run: run.run, standing: withdrawn ? 'withdrawn' : 'current', through: throughSeq(run, sinks) };
  });
}

/** How far every one of these sinks holds the run's answers; 0 where one of them has none. */
export function throughSeq(run: RunState, sinks: readonly string[]): number {
  if (sinks.length === 0) return 0;
  return Math.min(...sinks.map((sink) => run.applied[sink]?.throughSeq ?? 0));
}

async function replacePardons(duck: Duck, run: RunState): Promise<void> {
  await duck.run('DELETE FROM pardon WHERE run = $run', { run: run.run });
  for (const { seq, classes } of run.pardons) {
    for (const of of classes)
      await duck.run('INSERT INTO pardon VALUES ($run, $of, $seq)', { run: run.run, of, seq });
  }
}
