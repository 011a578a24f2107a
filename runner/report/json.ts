import type { JsonObject } from '../ids.ts';
import type {
  CameBack,
  Condition,
  FleetReport,
  JobReport,
  JournalMark,
  Money,
  RunReport,
  RunTimes,
  ShardReport,
  Wait,
} from './report.ts';
import { inSinks, openRows, rowsForPerson } from './summary.ts';

/**
 * `status.json` of a job: a published contract (`schemas/batchwright/status.schema.json`). Names are snake case, money
 * is USD, times are UTC, null is "unknown" or "not yet". No keys and no answers: it can be read by anybody who may
 * know that the job exists.
 */
export function statusJson(report: JobReport): JsonObject {
  return {
    format: 'batchwright/status/v1',
    job: report.job,
    file: report.file,
    owner: report.owner,
    labels: report.labels,
    phase: report.phase,
    conditions: report.conditions.map(conditionJson),
    run: report.run === null ? null : runJson(report.run),
    waits: report.waits.map(waitJson),
    journal: journalJson(report),
  };
}

/** All jobs at once: what `status --json` prints. */
export function fleetJson(fleet: FleetReport): JsonObject {
  return {
    format: 'batchwright/fleet/v1',
    jobs: fleet.jobs.map(statusJson),
    broken: fleet.broken.map(({ file, message }) => ({ file, message })),
  };
}

function conditionJson({ type, status, reason, message, generation, since }: Condition): JsonObject {
  return { type, status, reason, message, generation, since };
}

function waitJson({ what, waitsFor, until, command }: Wait): JsonObject {
  return { what, waits_for: waitsFor, until, command };
}

function runJson(run: RunReport): JsonObject {
  return {
    run: run.run,
    generation: run.generation,
    reason: run.reason,
    task: run.task,
    emulator: run.emulator,
    counts: countsJson(run),
    needs: run.needs.map((need) => ({
      rows: need.rows,
      class: need.class,
      cause: need.cause,
      cause_rows: need.causeRows,
      next: need.next,
    })),
    canary: run.canary === null ? null : { ...run.canary },
    ...(run.cameBack === null ? {} : { came_back: writeCameBack(run.cameBack) }),
    models: { asked: run.askedModel, served: run.servedModels },
    money: moneyJson(run.money),
    times: timesJson(run.time),
    shards: shardsJson(run.shards),
    sinks: run.sinks.map(({ kind, path, rows, digest }) => ({ kind, path, rows, digest })),
    provenance: provenanceJson(run),
  };
}

/** Without the example: no keys and no answers stand here. */
function writeCameBack({ kind, causes }: CameBack): JsonObject {
  return {
    kind,
    causes: causes.map((each) => ({ class: each.class, cause: each.cause, attempts: each.attempts })),
  };
}

function countsJson(run: RunReport): JsonObject {
  const { items, dispositions, balanced, attempts, batches } = run.books;
  return {
    items,
    in_sinks: inSinks(dispositions),
    open: openRows(dispositions),
    needs_person: rowsForPerson(run),
    dispositions,
    balanced,
    attempts,
    batches,
  };
}

function moneyJson(money: Money): JsonObject {
  const { estimate } = money;
  return {
    prices_of: estimate.pricesOf,
    estimated_usd: estimate.usd,
    ceiling_usd: estimate.ceilingUsd,
    assumed_usd: money.assumedUsd,
    reserved_usd: money.reservedUsd,
    settled_usd: money.settledUsd,
    synchronous_usd: money.synchronousUsd,
    wasted_usd: money.wastedUsd,
    ...(money.duplicateUsd === undefined ? {} : { duplicate_usd: money.duplicateUsd }),
    per_thousand_applied_usd: money.perThousandAppliedUsd,
    per_run_limit_usd: money.perRunUsd,
    owner_month_usd: money.owner.monthUsd,
    owner_month_limit_usd: money.owner.ofUsd,
    attempts_of_unknown_cost: money.unknownCost,
    input_tokens: money.settledInputTokens,
    output_tokens: money.settledOutputTokens,
    cached_tokens: money.cachedTokens,
    estimated_input_tokens: estimate.inputTokens,
    estimated_output_tokens: estimate.outputTokens,
  };
}

function timesJson(time: RunTimes): JsonObject {
  return {
    frozen_at: time.frozenAt,
    canary_sent_at: time.canarySentAt,
    canary_done_at: time.canaryDoneAt,
    sent_at: time.sentAt,
    last_settled_at: time.lastSettledAt,
    applied_at: time.appliedAt,
    deadline_at: time.deadlineAt,
  };
}

/** How many shards are in each state: two hundred of them one by one are the ledger's business. */
function shardsJson(shards: readonly ShardReport[]): JsonObject {
  const states = Map.groupBy(shards, ({ state }) => state);
  return {
    total: shards.length,
    states: Object.fromEntries([...states].map(([state, of]) => [state, of.length]).sort()),
  };
}

function provenanceJson({ provenance: from }: RunReport): JsonObject {
  return {
    commit: from.commit,
    dirty: from.dirty,
    prompt: from.prompt,
    schema: from.schema,
    source: from.source,
    manifest: from.manifest,
    account: from.account,
    remote_files: from.remoteFiles,
    remote_files_deleted: from.remoteFilesDeleted,
  };
}

/** From the report where it has the mark, else from the run's provenance; null before anything was journalled. */
function journalJson({ journal, run }: JobReport): JsonObject | null {
  const mark: JournalMark | null =
    journal ??
    (run === null
      ? null
      : {
          lineage: run.provenance.lineage,
          seq: run.provenance.journalSeq,
          head: run.provenance.journalHead,
        });
  return mark === null ? null : { lineage: mark.lineage, seq: mark.seq, head: mark.head };
}

export { planJson } from './plan-json.ts';
