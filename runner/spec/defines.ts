import { digestOf, digestOfValue } from '../ids.ts';
import type { Job, LoadedJob, OutputSpec, RunDefinition } from './job.ts';

type Parts = Pick<LoadedJob, 'prompts' | 'schema'>;

/**
 * The digests of what makes a run, from normalised values: defaults, shorthands, key order, file names and line ends
 * do not count. The paths of the input are left out: the digest of the source files counts them.
 */
export function defines(job: Job, { prompts, schema }: Parts): RunDefinition {
  const { sql, key, itemType, onBadRow, filenameColumn } = job.input;
  return {
    model: digestOfValue(job.model),
    prompt: digestOfValue(promptDigests(prompts)),
    // Not canonical: models answer in the order of the properties, so that order is part of the question.
    schema: schema === null ? null : digestOf(JSON.stringify(schema.sent)),
    input: digestOfValue({ sql: sql?.trim() ?? null, key, itemType, onBadRow, filenameColumn }),
    output: digestOfValue(outputFields(job.output)),
  };
}

/** The schema's path is left out: its content counts by itself. */
function outputFields(output: OutputSpec) {
  const { kind, maxTokens } = output;
  return kind === 'embedding' ? { kind, maxTokens, dimensions: output.dimensions } : { kind, maxTokens };
}

function promptDigests({ system, user, partials }: LoadedJob['prompts']) {
  const named = Object.entries(partials).map(([name, file]) => [name, file.digest] as const);
  return { system: system?.digest ?? null, user: user.digest, partials: Object.fromEntries(named) };
}
