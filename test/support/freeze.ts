import { join } from 'node:path';
import { openDuck, sqlTexts } from '../../runner/duck.ts';
import { digestOf, jobName } from '../../runner/ids.ts';
import type { DraftOptions } from '../../runner/manifest/freeze.ts';
import { draftManifest } from '../../runner/manifest/freeze.ts';
import type { DraftManifest, EncodeBody } from '../../runner/manifest/manifest.ts';
import { digestSources } from '../../runner/manifest/source.ts';
import { encoder } from '../../runner/provider/openai/encode.ts';
import type { InputSpec, LoadedJob, ModelSpec, OutputSpec, TextFile } from '../../runner/spec/job.ts';

/* Nothing here may import vitest: a program in a process of its own uses it too. */

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function inputOf(more: Partial<InputSpec> = {}): InputSpec {
  return {
    files: ['data.jsonl'],
    sql: null,
    key: ['id'],
    itemType: 'ticket',
    pass: [],
    onBadRow: 'stop',
    refresh: 'on_change',
    filenameColumn: null,
    ...more,
  };
}

export interface FreezeCase {
  readonly files: Files;
  readonly input?: Partial<InputSpec>;
  readonly user?: string;
  readonly system?: string | null;
  readonly encode?: EncodeBody;
  readonly options?: Partial<DraftOptions>;
}

export const MODEL: ModelSpec = {
  provider: 'openai',
  name: 'gpt-5.4-mini',
  endpoint: '/v1/responses',
  temperature: null,
  reasoning: null,
  seed: null,
  raw: {},
};

const OUTPUT: OutputSpec = { kind: 'text', maxTokens: 50 };

/** A row of the manifest as DuckDB gives it back. */
export interface FrozenRow {
  readonly ordinal: number;
  readonly key: string | null;
  readonly custom_id: string | null;
  readonly input_hash: string;
  readonly request_hash: string | null;
  readonly row: string | null;
  readonly body: string | null;
  readonly body_bytes: number | null;
  readonly input_tokens: number | null;
  readonly problem: string | null;
  readonly problem_detail: string | null;
}

/** Freezes an input that stands in `root` and reads the parts back. */
export async function freezeIn(
  root: string,
  one: FreezeCase,
): Promise<{ manifest: DraftManifest; rows: FrozenRow[] }> {
  const input = inputOf({ files: Object.keys(one.files), ...one.input });
  const manifest = await draftManifest(loadedJob(input, one), {
    root,
    work: join(root, '.work'),
    encode: one.encode ?? encoder(MODEL, OUTPUT, null),
    endpoint: MODEL.endpoint,
    maxRequestBytes: 200_000_000,
    maxInputTokens: null,
    price: null,
    settings: { models: {}, policy: { neverSend: [], allowedRoots: [] } },
    expectedOutputTokens: null,
    digests: await digestSources(input, { root, allowedRoots: [] }),
    ...one.options,
  });
  return { manifest, rows: await frozenRows(manifest) };
}

async function frozenRows(manifest: DraftManifest): Promise<FrozenRow[]> {
  const duck = await openDuck({ memoryLimit: '1GB' });
  try {
    return await duck.rows<FrozenRow>(
      `SELECT * EXCLUDE frozen, frozen[1] AS row, frozen[2] AS body
       FROM read_parquet(${sqlTexts(manifest.parts.map((part) => part.path))}) ORDER BY ordinal`,
    );
  } finally {
    duck.close();
  }
}

/** Only what freezing reads of a job; the rest is as a loader would leave it. */
function loadedJob(input: InputSpec, one: FreezeCase): LoadedJob {
  const file = (path: string, text: string): TextFile => ({ path, text, digest: digestOf(text) });
  const none = digestOf('');
  return {
    job: {
      name: jobName('labels'),
      file: 'jobs/labels.yaml',
      owner: 'support',
      description: null,
      labels: {},
      task: 'generation',
      sla: {
        class: 'offline',
        deadlineMs: 86_400_000,
        onDeadline: 'wait',
        stuckAfterMs: 108_000_000,
        onStuck: 'wait',
      },
      priority: 'normal',
      model: MODEL,
      input,
      prompt: { system: null, user: 'user.hbs' },
      output: OUTPUT,
      sinks: [],
      budget: { perRunUsd: null, perMonthUsd: null, maxItems: null, approveAboveUsd: null },
      canary: null,
      shard: { maxItems: null, maxInFlight: 10 },
      retry: { maxAttempts: 3, invalidOutput: 1, truncatedMaxTokens: null, unreadableShare: 0.001 },
      suspend: null,
      movedFrom: null,
    },
    prompts: {
      system: one.system ? file('prompts/system.hbs', one.system) : null,
      user: file('prompts/user.hbs', one.user ?? 'Label this: {{body}}'),
      partials: {},
    },
    schema: null,
    defines: { model: none, prompt: none, schema: null, input: none, output: none },
  };
}
