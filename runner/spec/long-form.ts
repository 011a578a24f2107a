import { durationText } from './duration.ts';
import type { Job, SinkSpec } from './job.ts';
import type { WrittenJob } from './written-job.generated.ts';

/** The opposite of `normaliseJob`: a job as a person would write it with every shorthand and default written out. */
export function longForm(job: Job): WrittenJob {
  return {
    apiVersion: 'batchwright/v1',
    name: job.name,
    owner: job.owner,
    description: job.description,
    labels: job.labels,
    task: job.task,
    sla: {
      class: job.sla.class,
      deadline: durationText(job.sla.deadlineMs),
      on_deadline: job.sla.onDeadline,
      stuck_after: durationText(job.sla.stuckAfterMs),
      on_stuck: job.sla.onStuck,
    },
    priority: job.priority,
    model: { ...job.model },
    input: longInput(job),
    prompt: { system: job.prompt.system, user: job.prompt.user },
    output: longOutput(job),
    sinks: job.sinks.map(longSink),
    budget: longBudget(job),
    canary: longCanary(job),
    shard: { max_items: job.shard.maxItems, max_in_flight: job.shard.maxInFlight },
    retry: longRetry(job),
    suspend: job.suspend,
    moved_from: job.movedFrom,
  };
}

function longInput({ input }: Job): WrittenJob['input'] {
  return {
    files: [...input.files],
    sql: input.sql,
    key: [...input.key],
    item_type: input.itemType,
    pass: [...input.pass],
    on_bad_row: input.onBadRow,
    refresh: input.refresh,
    filename_column: input.filenameColumn,
  };
}

function longOutput({ output }: Job): WrittenJob['output'] {
  switch (output.kind) {
    case 'json':
      return { schema: output.schema, max_tokens: output.maxTokens };
    case 'text':
      return { text: true, max_tokens: output.maxTokens };
    case 'embedding':
      return { embedding: { dimensions: output.dimensions } };
    case 'moderation':
      return { moderation: true };
    default:
      return output satisfies never;
  }
}

function longSink(sink: SinkSpec): NonNullable<WrittenJob['sinks']>[number] {
  return { kind: sink.kind, path: sink.path, on_removed: sink.onRemoved };
}

function longBudget({ budget }: Job): NonNullable<WrittenJob['budget']> {
  return {
    per_run_usd: budget.perRunUsd,
    per_month_usd: budget.perMonthUsd,
    max_items: budget.maxItems,
    approve_above_usd: budget.approveAboveUsd,
  };
}

function longCanary({ canary }: Job): NonNullable<WrittenJob['canary']> {
  if (canary === null) return false;
  return { items: canary.items, min_valid: canary.minValid, via: canary.via ?? 'batch' };
}

function longRetry({ retry }: Job): NonNullable<WrittenJob['retry']> {
  return {
    max_attempts: retry.maxAttempts,
    invalid_output: retry.invalidOutput,
    truncated: retry.truncatedMaxTokens === null ? null : { max_tokens: retry.truncatedMaxTokens },
    unreadable: { share: retry.unreadableShare },
  };
}
