import type { JobName, JsonObject } from '../ids.ts';
import { jobName } from '../ids.ts';
import { durationMs } from './duration.ts';
import type {
  BudgetSpec,
  CanarySpec,
  Endpoint,
  InputSpec,
  Job,
  ModelSpec,
  OutputSpec,
  PromptSpec,
  RetrySpec,
  SinkSpec,
  SlaSpec,
  Task,
} from './job.ts';
import type { WrittenJob } from './written-job.generated.ts';

/** What holds where a job says nothing. The schema tells people the same; a test compares the two. */
export const JOB_DEFAULTS = {
  deadline: '3d',
  stuckAfter: '30h',
  itemType: 'row',
  onBadRow: 'stop',
  refresh: 'on_change',
  canary: { items: 10, minValid: 0.9, via: 'batch' },
  maxInFlight: 10,
  maxAttempts: 3,
  invalidOutput: 1,
  unreadableShare: 0.001,
} as const;

/** The task of a job that names none. A moderation sorts texts into classes that are not the job's own. */
const TASK_OF: Readonly<Record<OutputSpec['kind'], Task>> = {
  json: 'extraction',
  text: 'generation',
  embedding: 'embedding',
  moderation: 'classification',
};

/** Which endpoint a job has that names none: it depends on the kind of its provider. */
export type EndpointOf = (provider: string, output: OutputSpec['kind']) => Endpoint;

/** A prompt may be the name of a folder: whether it has a system.hbs is seen in the work tree. */
export type HasFile = (path: string) => boolean;

/**
 * A valid written job with every shorthand written out and every default filled in.
 * `has` answers for paths below `prompts/`.
 */
export function normaliseJob(written: WrittenJob, file: string, has: HasFile, endpointOf: EndpointOf): Job {
  const name = jobName(written.name);
  const output = normaliseOutput(written.output);
  return {
    name,
    file,
    owner: written.owner,
    description: written.description ?? null,
    labels: written.labels ?? {},
    task: written.task ?? TASK_OF[output.kind],
    sla: slaOf(written.sla),
    priority: written.priority ?? 'normal',
    model: normaliseModel(written.model, output, endpointOf),
    input: normaliseInput(written.input),
    prompt: normalisePrompt(written.prompt, has),
    output,
    sinks: (written.sinks ?? [{ kind: 'parquet' }]).map((sink) => normaliseSink(sink, name)),
    budget: normaliseBudget(written.budget ?? {}),
    canary: normaliseCanary(written.canary ?? true),
    shard: {
      maxItems: written.shard?.max_items ?? null,
      maxInFlight: written.shard?.max_in_flight ?? JOB_DEFAULTS.maxInFlight,
    },
    retry: normaliseRetry(written.retry ?? {}),
    suspend: normaliseSuspend(written.suspend ?? null),
    movedFrom: written.moved_from == null ? null : jobName(written.moved_from),
  };
}

function slaOf(written: WrittenJob['sla']): SlaSpec {
  return {
    class: 'offline',
    deadlineMs: durationMs(written?.deadline ?? JOB_DEFAULTS.deadline),
    onDeadline: written?.on_deadline ?? 'wait',
    stuckAfterMs: durationMs(written?.stuck_after ?? JOB_DEFAULTS.stuckAfter),
    onStuck: written?.on_stuck ?? 'wait',
  };
}

function normaliseOutput(written: WrittenJob['output']): OutputSpec {
  const { schema, embedding, moderation, max_tokens = 1 } = written;
  if (moderation !== undefined) return { kind: 'moderation', maxTokens: 0 };
  if (embedding !== undefined)
    return { kind: 'embedding', dimensions: dimensionsOf(embedding), maxTokens: 0 };
  if (schema !== undefined) return { kind: 'json', schema, maxTokens: max_tokens };
  return { kind: 'text', maxTokens: max_tokens };
}

function dimensionsOf(embedding: NonNullable<WrittenJob['output']['embedding']>): number | null {
  return typeof embedding === 'object' ? (embedding.dimensions ?? null) : null;
}

function normaliseModel(written: WrittenJob['model'], output: OutputSpec, endpointOf: EndpointOf): ModelSpec {
  if (typeof written === 'string') return normaliseModel({ name: written }, output, endpointOf);
  const slash = written.name.indexOf('/');
  const provider = written.provider ?? written.name.slice(0, Math.max(0, slash));
  return {
    provider,
    name: written.provider === undefined ? written.name.slice(slash + 1) : written.name,
    endpoint: written.endpoint ?? endpointOf(provider, output.kind),
    temperature: written.temperature ?? null,
    reasoning: written.reasoning ?? null,
    seed: written.seed ?? null,
    raw: (written.raw ?? {}) as JsonObject,
  };
}

function normaliseInput(written: WrittenJob['input']): InputSpec {
  return {
    files: [written.files].flat(),
    sql: written.sql ?? null,
    key: [written.key].flat(),
    itemType: written.item_type ?? JOB_DEFAULTS.itemType,
    pass: [written.pass ?? []].flat(),
    onBadRow: written.on_bad_row ?? JOB_DEFAULTS.onBadRow,
    refresh: written.refresh ?? JOB_DEFAULTS.refresh,
    filenameColumn: written.filename_column ?? null,
  };
}

function normalisePrompt(written: WrittenJob['prompt'], has: HasFile): PromptSpec {
  if (typeof written !== 'string') return { system: written.system ?? null, user: written.user };
  const folder = written.replace(/\/+$/, '');
  const system = `${folder}/system.hbs`;
  return { system: has(system) ? system : null, user: `${folder}/user.hbs` };
}

function normaliseSink(written: NonNullable<WrittenJob['sinks']>[number], name: JobName): SinkSpec {
  return {
    kind: written.kind,
    path: written.path ?? `out/${name}.${written.kind}`,
    onRemoved: written.on_removed ?? 'keep',
  };
}

function normaliseBudget(written: NonNullable<WrittenJob['budget']>): BudgetSpec {
  return {
    perRunUsd: written.per_run_usd ?? null,
    perMonthUsd: written.per_month_usd ?? null,
    maxItems: written.max_items ?? null,
    approveAboveUsd: written.approve_above_usd ?? null,
  };
}

function normaliseCanary(written: NonNullable<WrittenJob['canary']>): CanarySpec | null {
  if (written === false) return null;
  const { items, min_valid, via } = written === true ? {} : written;
  return {
    items: items ?? JOB_DEFAULTS.canary.items,
    minValid: min_valid ?? JOB_DEFAULTS.canary.minValid,
    via: via ?? JOB_DEFAULTS.canary.via,
  };
}

function normaliseRetry(written: NonNullable<WrittenJob['retry']>): RetrySpec {
  return {
    maxAttempts: written.max_attempts ?? JOB_DEFAULTS.maxAttempts,
    invalidOutput: written.invalid_output ?? JOB_DEFAULTS.invalidOutput,
    truncatedMaxTokens: written.truncated?.max_tokens ?? null,
    unreadableShare: written.unreadable?.share ?? JOB_DEFAULTS.unreadableShare,
  };
}

/** A reason alone has no end. */
export function normaliseSuspend(written: WrittenJob['suspend']): Job['suspend'] {
  if (written == null) return null;
  if (typeof written === 'string') return { reason: written, until: null };
  return { reason: written.reason, until: written.until ?? null };
}
