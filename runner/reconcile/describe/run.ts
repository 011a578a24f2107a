import { intentsOf, jobState } from '../../journal/fold.ts';
import type { JournalState, RunState } from '../../journal/state.ts';
import { answerTally } from '../../ledger/answer-counts.ts';
import { dispositionCounts, rounds } from '../../ledger/books.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { needyGroups } from '../../ledger/needs.ts';
import { canaryVerdict, type Left } from '../../plan/canary.ts';
import type { Stop } from '../../plan/stop.ts';
import { unreadableBatches } from '../../plan/unreadable.ts';
import type { Books, Provenance, RunReport } from '../../report/report.ts';
import type { Job } from '../../spec/job.ts';
import { readRecipeInForce } from '../checks.ts';
import type { PassContext } from '../context.ts';
import { answerForm } from '../recipe.ts';
import { countableFields, describeAnswers } from './answers.ts';
import { describeMoney } from './money.ts';
import { needsOf } from './needs.ts';
import { describeSample } from './sample.ts';
import { shardReports, timesOf } from './shards.ts';
import { describeCameBack, describeStop, listStoppers, readLeft, readStop } from './stop.ts';

export async function describeRun(
  ctx: PassContext,
  frozen: RunState,
  job: Job,
  ledger: Ledger,
  look: Look,
): Promise<RunReport> {
  const run = { ...frozen, spec: job };
  const { state } = ctx.journal;
  const { duck } = ledger;
  const dispositions = await dispositionCounts(duck, run.run);
  const books = await booksOf(state, run, dispositions, ledger);
  const isYoung = areLooksYoung(ctx, run);
  const stop = withoutYoung(await readStop(ctx, run, ledger), isYoung);
  const keysOf = (keys: readonly string[]) => keys.map((key) => shownKey(ctx, key));
  const needy = await needyGroups(duck, run.run, listStoppers(stop));
  const groups = isYoung ? needy.filter((group) => group.class !== 'unreadable') : needy;
  return {
    run: run.run,
    generation: run.generation,
    reason: run.reason,
    task: job.task,
    emulator: run.emulator,
    books,
    needs: needsOf(groups, dispositions, job, stop?.next ?? null).map((need) => ({
      ...need,
      examples: keysOf(need.examples),
    })),
    stop: stop === null ? null : describeStop(state, run, stop),
    cameBack: await describeCameBack(ctx, run, ledger, stop),
    ...(look === 'all' ? await answersOf(ctx, frozen, ledger) : NOT_LOOKED_AT),
    canary: canaryOf(ctx, run, await readLeft(duck, run)),
    askedModel: `${job.model.provider}/${job.model.name}`,
    money: describeMoney(ctx, run, dispositions),
    time: timesOf(state, run),
    shards: shardReports(state, run),
    sinks: Object.entries(run.applied).map(([sink, proof]) => ({
      kind: sink.slice(0, sink.indexOf(':')),
      path: proof.path,
      rows: proof.rows,
      digest: proof.digest,
    })),
    provenance: provenanceOf(ctx, run),
  };
}

/** While the looks of the first hour are not over, nobody is needed for what cannot be read: most outages end by then. */
function areLooksYoung(ctx: PassContext, run: RunState): boolean {
  const { profile } = ctx.codec(run.spec.model.provider);
  const clock = { quarterMs: ctx.pacing.missingMs, now: ctx.now() };
  const batches = unreadableBatches(ctx.journal.state, run, profile, clock);
  return batches.length > 0 && batches.every((batch) => batch.isYoung);
}

function withoutYoung(stop: Stop | null, isYoung: boolean): Stop | null {
  return isYoung && stop?.reason === 'ResultsUnreadable' ? null : stop;
}

/** `standing`: without the answers, which for a million rows take longer to read than all the rest. */
export type Look = 'all' | 'standing';

type Answers = Pick<RunReport, 'answers' | 'sample' | 'servedModels'>;

const NOT_LOOKED_AT: Answers = { answers: null, sample: [], servedModels: {} };

async function answersOf(ctx: PassContext, run: RunState, ledger: Ledger): Promise<Answers> {
  const recipe = await readRecipeInForce(ctx, run);
  const fields = countableFields(answerForm(run, recipe).schema);
  const tally = await answerTally(ledger.duck, run.run, fields);
  return {
    answers: await describeAnswers(ctx.journal.state, run, ledger, fields, tally),
    sample: await describeSample(ledger, run.run, ctx.settings.report.samples, (key) => shownKey(ctx, key)),
    servedModels: tally.models,
  };
}

async function booksOf(
  state: JournalState,
  run: RunState,
  dispositions: Books['dispositions'],
  ledger: Ledger,
): Promise<Books> {
  const sum = Object.values(dispositions).reduce((total, count) => total + count, 0);
  const tries = await rounds(ledger.duck, run.run);
  return {
    items: run.manifest.items,
    dispositions,
    balanced: sum === run.manifest.items,
    attempts: tries.reduce((total, round) => total + round.attempts, 0),
    batches: intentsOf(state, run).filter((intent) => intent.phase !== 'refused' && intent.phase !== 'absent')
      .length,
    rounds: tries,
  };
}

/** A key is customer data: hashed where the settings say so, the same key always to the same text. */
function shownKey(ctx: PassContext, key: string): string {
  return ctx.settings.report.keys === 'shown' ? key : ctx.hashKey(key);
}

function canaryOf(ctx: PassContext, run: RunState, left: Left): RunReport['canary'] {
  const verdict = canaryVerdict(ctx.journal.state, run, left);
  switch (verdict.kind) {
    case 'not_needed':
      return null;
    case 'send':
    case 'waiting':
      return { items: verdict.items, ok: 0, judged: false, passed: false };
    case 'unreadable':
    case 'cancelled':
      return { items: verdict.rows, ok: 0, judged: false, passed: false };
    case 'passed':
    case 'failed':
      return {
        items: verdict.judged,
        ok: verdict.ok,
        judged: verdict.judged > 0,
        passed: verdict.kind === 'passed',
      };
    default:
      return verdict satisfies never;
  }
}

function provenanceOf(ctx: PassContext, run: RunState): Provenance {
  const { state } = ctx.journal;
  const { generations, mark } = jobState(state, run.job);
  const generation = generations.find((each) => each.generation === run.generation);
  const intents = intentsOf(state, run);
  const files = intents.map(
    (intent) =>
      [intent.fileId, intent.batch?.outputFileId, intent.batch?.errorFileId].filter((id) => id != null)
        .length,
  );
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  if (generation === undefined || mark === null || state.lineage === null)
    throw new Error(`run ${run.run} of ${run.job} has no generation`);
  return {
    commit: run.commit,
    dirty: run.dirty,
    prompt: generation.defines.prompt,
    schema: generation.defines.schema,
    source: generation.source.digest,
    manifest: run.manifest.digest,
    journalSeq: mark.seq,
    journalHead: mark.digest,
    lineage: state.lineage,
    account: run.account,
    remoteFilesDeleted: sum(files.filter((_, index) => intents[index]?.discarded)),
    remoteFiles: sum(files),
  };
}
