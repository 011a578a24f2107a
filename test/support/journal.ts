import { digestOf, type Instant, type IntentId, instantOf, type JobName } from '../../runner/ids.ts';
import type { BatchView } from '../../runner/journal/batch.ts';
import type { JournalEvent, RunFrozen, SubmitIntent } from '../../runner/journal/events.ts';
import { EMPTY_JOURNAL, foldSegment } from '../../runner/journal/fold.ts';
import type { JournalWriter } from '../../runner/journal/journal.ts';
import { decodeSegment, encodeSegment, type Segment, segmentName } from '../../runner/journal/segment.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import { sinkShape } from '../../runner/plan/apply.ts';
import type { Job, RunDefinition, SinkSpec } from '../../runner/spec/job.ts';

export const START = '2026-11-30T09:00:00.000Z' as Instant;

/** A writer whose nonces are counted and whose clock stands still unless told. */
export function testWriter(name: string, now: () => Instant = () => START): JournalWriter {
  let count = 0;
  return {
    writer: name,
    commit: null,
    now,
    nonce: () => {
      count += 1;
      return `${name}-${count}`;
    },
  };
}

/** The fold of these groups, each as one segment, a minute apart. */
export function stateOf(...groups: readonly (readonly JournalEvent[])[]): JournalState {
  return segmentsOf(...groups).reduce(foldSegment, EMPTY_JOURNAL);
}

/** The fold of these groups, each as one segment, so many minutes after `START`. */
export function stateAtMinutes(
  ...groups: readonly (readonly [minutes: number, events: readonly JournalEvent[]])[]
): JournalState {
  return chainOf(groups).reduce(foldSegment, EMPTY_JOURNAL);
}

/** A chain of these groups, each as one segment, a minute apart. */
export function segmentsOf(...groups: readonly (readonly JournalEvent[])[]): Segment[] {
  return chainOf(groups.map((events, at) => [at, events]));
}

function chainOf(groups: readonly (readonly [minutes: number, events: readonly JournalEvent[]])[]) {
  const segments: Segment[] = [];
  for (const [at, [minutes, events]] of groups.entries()) {
    const seq = at + 1;
    const previous = segments.at(-1)?.digest ?? null;
    const header = {
      type: 'segment' as const,
      format: 1 as const,
      seq,
      lineage: 'lineage',
      previous,
      nonce: `n${seq}`,
      writer: 'test',
      at: instantOf(Date.parse(START) + minutes * 60_000),
      commit: null,
    };
    segments.push(decodeSegment(segmentName(seq), encodeSegment(header, events), previous));
  }
  return segments;
}

export const JOB: Job = {
  name: 'tickets' as JobName,
  file: 'jobs/tickets.yaml',
  owner: 'support',
  description: null,
  labels: {},
  task: 'extraction',
  sla: {
    class: 'offline',
    deadlineMs: 259_200_000,
    onDeadline: 'wait',
    stuckAfterMs: 108_000_000,
    onStuck: 'wait',
  },
  priority: 'normal',
  model: {
    provider: 'openai',
    name: 'gpt-5.4-mini',
    endpoint: '/v1/responses',
    temperature: null,
    reasoning: null,
    seed: null,
    raw: {},
  },
  input: {
    files: ['data/t.jsonl'],
    sql: null,
    key: ['id'],
    itemType: 'row',
    pass: [],
    onBadRow: 'stop',
    refresh: 'on_change',
    filenameColumn: null,
  },
  prompt: { system: null, user: 'tickets/user.hbs' },
  output: { kind: 'text', maxTokens: 100 },
  sinks: [{ kind: 'parquet', path: 'out/tickets.parquet', onRemoved: 'keep' }],
  budget: { perRunUsd: null, perMonthUsd: null, maxItems: null, approveAboveUsd: null },
  canary: null,
  shard: { maxItems: null, maxInFlight: 10 },
  retry: { maxAttempts: 3, invalidOutput: 1, truncatedMaxTokens: null, unreadableShare: 0.001 },
  suspend: null,
  movedFrom: null,
};

export const DEFINES: RunDefinition = {
  model: digestOf('model'),
  prompt: digestOf('prompt'),
  schema: null,
  input: digestOf('input'),
  output: digestOf('output'),
};

export const SOURCE = { digest: digestOf('source'), files: 1, bytes: 10 };
export const ACCOUNT = 'openai/test' as RunFrozen['account'];

export function generation(changes: Partial<RunDefinition> = {}, number = 1): JournalEvent {
  const defines = { ...DEFINES, ...changes };
  return {
    type: 'generation.observed',
    job: JOB.name,
    generation: number,
    digest: digestOf(JSON.stringify(defines)),
    defines,
    source: SOURCE,
    commit: null,
  };
}

export function frozen(changes: Partial<RunFrozen> = {}): RunFrozen {
  return {
    type: 'run.frozen',
    job: JOB.name,
    run: 1,
    generation: 1,
    account: ACCOUNT,
    emulator: false,
    manifest: { digest: digestOf('manifest'), items: 100, setAside: 0, parts: [], columns: ['id'] },
    estimate: {
      requests: 100,
      inputTokens: 1_000,
      outputTokens: 500,
      outputTokensCap: 1_000,
      usd: 1,
      ceilingUsd: 2,
      pricesOf: '2026-11-24',
    },
    price: null,
    spec: JOB,
    recipe: { name: 'tickets/runs/1/recipe.json', digest: digestOf('recipe'), bytes: 1 },
    reason: 'new job',
    commit: null,
    dirty: false,
    ...changes,
  };
}

export function intentId(n: number): IntentId {
  return `intent${String(n).padStart(10, '0')}` as IntentId;
}

export function intent(n: number, changes: Partial<SubmitIntent> = {}): SubmitIntent {
  return {
    type: 'submit.intent',
    intent: intentId(n),
    job: JOB.name,
    run: 1,
    kind: 'first',
    ordinals: [[0, 99]],
    count: 100,
    account: ACCOUNT,
    fileId: `file-${n}`,
    wire: { digest: digestOf(`wire${n}`), bytes: 10 },
    reservedUsd: 2,
    notAfter: '2026-11-30T09:20:00.000Z' as Instant,
    maxTokens: null,
    ...changes,
  };
}

export function batch(n: number, changes: Partial<BatchView> = {}): BatchView {
  return {
    id: `batch_${n}`,
    state: 'running',
    providerState: 'in_progress',
    intent: intentId(n),
    inputFileId: `file-${n}`,
    outputFileId: null,
    errorFileId: null,
    createdAt: START,
    startedAt: null,
    finalizingAt: null,
    endedAt: null,
    expiresAt: null,
    progress: null,
    errors: [],
    serverNow: null,
    ...changes,
  };
}

export function accepted(n: number, changes: Partial<BatchView> = {}): JournalEvent {
  return {
    type: 'submit.accepted',
    intent: intentId(n),
    job: JOB.name,
    batch: batch(n, changes),
    how: 'answered',
  };
}

export function settled(n: number, counts: Record<string, number>, usd: number | null = 1): JournalEvent {
  const usage = {
    inputTokens: 100,
    outputTokens: 50,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  return {
    type: 'outcomes.settled',
    intent: intentId(n),
    job: JOB.name,
    run: 1,
    outcomes: { name: `tickets/runs/1/outcomes-${n}.parquet`, digest: digestOf(`outcomes${n}`), bytes: 1 },
    summary: { counts, usage, withoutUsage: 0, models: {}, lines: { own: 0, foreign: 0, unparsed: 0 } },
    usd,
    wastedUsd: 0,
    collections: 1,
  };
}

/** What `sinkShape` gives for the one sink of `JOB`. */
export const SHAPE = sinkShape(JOB, JOB.sinks[0] as SinkSpec);
