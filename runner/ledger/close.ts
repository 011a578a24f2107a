import { type Duck, sqlText, sqlTexts } from '../duck.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, RunState } from '../journal/state.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import { MISFIT } from '../outcome/causes.ts';
import type { ProjectionInput } from './input.ts';
import { hasTwins } from './ranges.ts';

/**
 * Which of a request's answers counts depends on all of them, so outcomes that were read anew open every attempt again; then they
 * are closed one after the other as in a ledger that is made anew.
 */
export async function reopenIfRevised(
  duck: Duck,
  { state }: ProjectionInput,
  before: ProjectionInput | null,
): Promise<boolean> {
  const shards = before === null ? await settledShards(duck) : settledIntents(before);
  const isRevised = shards.some(
    ({ intent, outcomes }) => state.intents[intent]?.settled?.outcomes.name !== outcomes,
  );
  if (!isRevised) return false;
  for (const table of ['answer', 'twin_attempt', 'misfit']) await duck.run(`DELETE FROM ${table}`);
  await duck.run('UPDATE attempt SET class = NULL, first_class = NULL');
  await duck.run('UPDATE shard SET phase = NULL');
  return true;
}

interface SettledShard {
  readonly intent: IntentState['intent'];
  readonly outcomes: string;
}

function settledShards(duck: Duck): Promise<SettledShard[]> {
  return duck.rows('SELECT intent, outcomes FROM shard WHERE outcomes IS NOT NULL');
}

/** The same without a question: what was projected last stands there. */
function settledIntents({ state, job }: ProjectionInput): SettledShard[] {
  return jobState(state, job)
    .runs.flatMap((run) => intentsOf(state, run))
    .flatMap(({ intent, settled }) =>
      settled === null ? [] : [{ intent, outcomes: settled.outcomes.name }],
    );
}

/**
 * In the order in which they were settled: the first ok for a request wins, also when all is rebuilt at once. What another
 * reading made valid counts from then on: another try may have been answered before.
 */
export async function closeAll(
  duck: Duck,
  moved: readonly IntentState[],
  input: ProjectionInput,
): Promise<void> {
  const steps = moved.flatMap((intent) => {
    const { settled } = intent;
    const close = { seq: settled?.seq ?? 0, step: () => closeAttempts(duck, intent, input) };
    if (settled?.revised === undefined) return [close];
    const { seq } = settled.revised;
    return [close, { seq, step: () => insertAnswers(duck, intent, seq, 'made valid', 'false') }];
  });
  for (const { step } of steps.sort((a, b) => a.seq - b.seq)) await step();
}

/** The current run takes over what a person has to decide about its requests; the others send nothing any more. */
export async function carryAttempts(duck: Duck, runs: readonly RunState[]): Promise<void> {
  const current = runs.at(-1);
  // Without an earlier run there is nothing to take over, and there never was.
  if (current === undefined || runs.length === 1) return;
  await duck.run('DELETE FROM carried_attempt');
  await duck.run(
    `INSERT INTO carried_attempt SELECT i.run, i.ordinal, k.from_run, k.shard, k.tried, k.class, k.by_us, k.revised, k.pardoned
     FROM kept_attempt k JOIN item i ON i.request = k.request
     WHERE i.run = $run AND k.from_run < $run AND k.account = $account`,
    { run: current.run, account: current.account },
  );
}

/** An intent that came to nothing leaves no attempt; a settled one closes each attempt with its class. */
async function closeAttempts(duck: Duck, intent: IntentState, input: ProjectionInput): Promise<void> {
  const place = `run = ${intent.run} AND shard = ${intent.shard}`;
  if (intent.phase === 'refused' || intent.phase === 'absent')
    await duck.run(`DELETE FROM attempt WHERE ${place}`);
  if (intent.settled === null) return;
  const { outcomes, revised, seq } = intent.settled;
  const set = async (column: string, stored: StoredFile) => {
    const file = sqlText(await input.provenPathOf(stored));
    await duck.run(
      `UPDATE attempt SET ${column} = o.class::outcome_class FROM read_parquet(${file}) o
       WHERE attempt.${place.replace(' AND ', ' AND attempt.')} AND attempt.ordinal = o.ordinal`,
    );
  };
  await set('class', outcomes);
  if (revised !== undefined) {
    await set('first_class', revised.first);
    await duck.run(`UPDATE attempt SET first_class = NULL WHERE ${place} AND first_class = class`);
    for (const stored of revised.between ?? []) await noteBetween(duck, intent, stored, input);
  }
  await insertMisfits(duck, intent, input);
  await insertTwinAttempts(duck, intent);
  await insertAnswers(duck, intent, seq, 'settled', await servedLate(intent, input));
}

/** What it was for a while between two edits counts as well: what one edit has taken away, another must not buy. */
async function noteBetween(
  duck: Duck,
  { run, shard }: IntentState,
  stored: StoredFile,
  input: ProjectionInput,
): Promise<void> {
  const file = sqlText(await input.provenPathOf(stored));
  await duck.run(
    `UPDATE attempt SET first_class = o.class::outcome_class FROM read_parquet(${file}) o
     WHERE attempt.run = ${run} AND attempt.shard = ${shard} AND attempt.ordinal = o.ordinal
       AND o.class IN ('ok', 'conflict') AND attempt.class = 'invalid_output' AND attempt.first_class IS DISTINCT FROM 'ok'`,
  );
}

/**
 * Known by the words of their cause: outcomes have one class for all answers that are of no use. What was one before an
 * edit that found another fault in it stays one.
 */
async function insertMisfits(
  duck: Duck,
  { run, shard, settled }: IntentState,
  input: ProjectionInput,
): Promise<void> {
  if (settled === null || (settled.summary.counts.invalid_output ?? 0) === 0) return;
  const { outcomes, revised } = settled;
  const stored = [outcomes, ...(revised === undefined ? [] : [revised.first, ...(revised.between ?? [])])];
  const files = await Promise.all(stored.map((each) => input.provenPathOf(each)));
  await duck.run(
    `INSERT INTO misfit SELECT DISTINCT ${run}, ${shard}, ordinal FROM read_parquet(${sqlTexts(files)}, union_by_name = true)
     WHERE class = 'invalid_output' AND starts_with(cause, ${sqlText(MISFIT)})`,
  );
}

/** Equal requests of a run are sent once: a failure of it is a failure of each, and is not paid for once an item. */
async function insertTwinAttempts(duck: Duck, intent: IntentState): Promise<void> {
  if (!(await hasTwins(duck, intent.run))) return;
  await duck.run(
    `INSERT INTO twin_attempt SELECT a.run, a.shard, t.ordinal, a.ordinal, a.class, a.first_class
     FROM attempt a JOIN item i USING (run, ordinal) JOIN item t ON t.run = i.run AND t.request = i.request AND t.ordinal <> i.ordinal
     WHERE a.run = ${intent.run} AND a.shard = ${intent.shard} AND a.class IS NOT NULL`,
  );
}

/** A condition for attempts whose late line has an answer: only the outcomes file knows which. */
async function servedLate({ settled }: IntentState, input: ProjectionInput): Promise<string> {
  if (settled === null || (settled.summary.counts.late ?? 0) === 0) return 'false';
  const file = sqlText(await input.provenPathOf(settled.outcomes));
  return `(a.class = 'late' AND a.ordinal IN (SELECT ordinal FROM read_parquet(${file}) WHERE answer IS NOT NULL))`;
}

/**
 * The first ok for a request wins, whatever came before it; a refusal or an invalid request is kept where nothing is.
 * A late line that holds an answer is as good as an ok.
 */
async function insertAnswers(
  duck: Duck,
  intent: IntentState,
  seq: number,
  which: 'settled' | 'made valid',
  late: string,
): Promise<void> {
  const madeValid = `a.class = 'ok' AND a.first_class IS NOT NULL`;
  const fresh = `SELECT i.request, CASE WHEN a.class = 'late' THEN 'ok' ELSE a.class::VARCHAR END AS class, min(a.ordinal) AS ordinal
    FROM attempt a JOIN item i USING (run, ordinal)
    WHERE a.run = ${intent.run} AND a.shard = ${intent.shard} AND (a.class IN ('ok', 'refused', 'invalid_request') OR ${late})
      AND ${which === 'settled' ? 'NOT ' : ''}(${madeValid}) GROUP BY ALL`;
  await duck.run(
    `DELETE FROM answer USING (${fresh}) f WHERE f.class = 'ok' AND answer.verdict <> 'ok'
       AND answer.account = ${sqlText(intent.account)} AND answer.request = f.request`,
  );
  await duck.run(
    `INSERT INTO answer SELECT ${sqlText(intent.account)}, f.request, f.class, ${intent.run}, ${intent.shard}, f.ordinal, ${seq}
     FROM (${fresh}) f ANTI JOIN (SELECT request FROM answer WHERE account = ${sqlText(intent.account)}) w ON w.request = f.request
     QUALIFY row_number() OVER (PARTITION BY f.request ORDER BY f.class = 'ok' DESC) = 1`,
  );
}
