import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import type { Digest } from '../ids.ts';
import type { Endpoint, LoadedJob } from '../spec/job.ts';
import { checkPromptColumns } from '../spec/prompt.ts';
import type { Settings } from '../spec/settings.ts';
import { estimateOf } from './estimate.ts';
import type { DraftManifest, EncodeBody } from './manifest.ts';
import type { Part } from './parts.ts';
import { PartWriter } from './parts.ts';
import type { Price } from './price.ts';
import type { Renderer } from './render.ts';
import { heldBackFindings, missingColumns, rendererOf } from './render.ts';
import { RowFreezer } from './row-freezer.ts';
import type { ManifestRow } from './row-slot.ts';
import { sampleRows } from './samples.ts';
import type { Source, SourceDigests } from './source.ts';
import { openSource } from './source.ts';
import { tokenCounter } from './tokens.ts';

export interface DraftOptions {
  readonly root: string;
  /** A folder of the caller's own for the parts and for scratch files; drafts of before in it are removed. */
  readonly work: string;
  /** From the provider's `encoder(model, output, schema.sent)`. */
  readonly encode: EncodeBody;
  readonly endpoint: Endpoint;
  /** Longest request body in bytes that the provider takes. */
  readonly maxRequestBytes: number;
  /** Longest input of one request where the endpoint says so; the settings' `context_tokens` count for more. */
  readonly maxInputTokens: number | null;
  /** From `priceOf`; null: unknown, and so is the estimate in money. */
  readonly price: Price | null;
  readonly settings: Pick<Settings, 'models' | 'policy'>;
  /** Mean output tokens of the job's earlier answers; null: there are none, half the cap is expected. */
  readonly expectedOutputTokens: number | null;
  /** From `digestSources`, taken before: files that changed since are an error. */
  readonly digests: SourceDigests;
}

/**
 * Reads the source once, renders, checks, hashes and writes the manifest's parts to `work`. Sends nothing.
 * Memory does not grow with the input but for 30 bytes a row.
 * @throws UserError where a row is bad and the job says `on_bad_row: stop`, where all are, where prompt, key or `pass`
 * name a column that no row has, or where the input cannot be read or changed meanwhile.
 */
export async function draftManifest(loaded: LoadedJob, options: DraftOptions): Promise<DraftManifest> {
  const { neverSend, allowedRoots } = options.settings.policy;
  const renderer = rendererOf(loaded, options.encode, neverSend);
  refuse(heldBackFindings(renderer.prompts, neverSend));
  const scratch = join(options.work, 'scratch');
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  try {
    const { root, digests } = options;
    const source = await openSource(loaded.job.input, { root, allowedRoots, work: scratch, digests });
    if (source.columns !== null) refuse(columnFindings(loaded, renderer, source.columns));
    return await freezeSource(source, { loaded, options, renderer, scratch });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Freeze {
  readonly loaded: LoadedJob;
  readonly options: DraftOptions;
  readonly renderer: Renderer;
  readonly scratch: string;
}

async function freezeSource(source: Source, freeze: Freeze): Promise<DraftManifest> {
  const { loaded, options, renderer, scratch } = freeze;
  const freezer = await rowFreezer(freeze);
  const { parts, digest } = await writeParts(source, freezer, freeze);
  source.checkUnchanged();
  const columns = source.columns ?? [...freezer.columns];
  // An input without rows cannot tell which columns it would have.
  if (freezer.columns.size > 0) refuse(columnFindings(loaded, renderer, columns));
  const setAside = freezer.problems.total;
  const isStopped = setAside > 0 && loaded.job.input.onBadRow === 'stop';
  if (isStopped || (setAside > 0 && setAside === freezer.rows)) throw freezer.problems.asError(freezer.rows);
  const output = { maxTokens: loaded.job.output.maxTokens, expected: options.expectedOutputTokens };
  return {
    digest,
    items: freezer.rows,
    setAside,
    columns,
    parts,
    estimate: estimateOf(freezer.totals, output, options.price),
    samples: await sampleRows(parts, renderer, join(scratch, 'samples')),
    findings: freezer.problems.findings,
    problems: freezer.problems.byCode(),
  };
}

async function rowFreezer({ loaded, options, renderer }: Freeze): Promise<RowFreezer> {
  const { job, schema } = loaded;
  const model = options.settings.models[`${job.model.provider}/${job.model.name}`];
  return new RowFreezer({
    keyColumns: job.input.key,
    endpoint: options.endpoint,
    maxRequestBytes: options.maxRequestBytes,
    contextTokens: model?.contextTokens ?? options.maxInputTokens,
    longContextAbove: options.price?.longContext?.aboveTokens ?? null,
    renderer,
    counter: await tokenCounter(job.output.maxTokens === 0 ? null : constantOf(schema)),
  });
}

function constantOf(schema: LoadedJob['schema']): string {
  return schema === null ? '' : JSON.stringify(schema.sent);
}

/** Once a row is bad and the job stops for it, the rest is only read to tell what else is bad. */
async function writeParts(source: Source, freezer: RowFreezer, { loaded, options, scratch }: Freeze) {
  const { name, input } = loaded.job;
  const digest = new ManifestDigest();
  const writer = await PartWriter.open(join(options.work, 'manifest'), scratch, `${name}:${input.itemType}:`);
  try {
    for (const part of source.parts) {
      freezer.beginPart(part);
      for (const row of part.rows()) {
        const frozen = freezer.freeze(row);
        digest.add(frozen);
        const isWritten = input.onBadRow === 'set_aside' || freezer.problems.total === 0;
        if (isWritten && writer.add(frozen)) await writer.flush();
        if (freezer.rows % TURN_ROWS === 0) await turnOfTheLoop();
      }
    }
    return { parts: await writer.end(), digest: digest.end() } satisfies {
      parts: readonly Part[];
      digest: Digest;
    };
  } finally {
    await writer.close();
  }
}

/**
 * Rows between two turns of the event loop, 2 ms of work: without them the part before would not be written meanwhile
 * but only when we wait for it, and a signal would not be heard.
 */
const TURN_ROWS = 128;

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function columnFindings(loaded: LoadedJob, renderer: Renderer, columns: readonly string[]) {
  const { key, pass } = loaded.job.input;
  return [
    ...checkPromptColumns(renderer.prompts, columns),
    ...missingColumns('input.key', key, columns),
    ...missingColumns('input.pass', pass, columns),
  ];
}

function refuse(findings: ConstructorParameters<typeof UserError>[0]): void {
  if (findings.length > 0) throw new UserError(findings);
}

/** Over (key, input hash, request hash) of every item in order; a field that is not there is empty. */
class ManifestDigest {
  private readonly hash = createHash('sha256');
  private lines = '';

  add({ key, inputHash, request }: ManifestRow): void {
    this.lines += `${key ?? ''}\u001f${inputHash}\u001f${request?.hash ?? ''}\n`;
    if (this.lines.length < 1 << 16) return;
    this.hash.update(this.lines);
    this.lines = '';
  }

  end(): Digest {
    return this.hash.update(this.lines).digest('hex') as Digest;
  }
}
