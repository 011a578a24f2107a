import { readFile } from 'node:fs/promises';
import { type Digest, digestOf, type JsonObject } from '../ids.ts';
import type { RunState } from '../journal/state.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import { compileStorageCheck } from '../outcome/storage-check.ts';
import type { AnswerRules } from '../outcome/validate.ts';
import { answerSchema } from '../spec/answer-schema.ts';
import { checkDigest } from '../spec/check-digest.ts';
import type { Job, LoadedJob, OutputSpec } from '../spec/job.ts';
import { compileAnswerCheck } from '../spec/output-schema.ts';
import { type SinkKind, typedKinds } from '../spec/storage.ts';
import type { Store } from '../store/port.ts';
import { provenPath } from './stored.ts';

/** What a run was made with, as its own file in the store: later edits of prompts and schema do not reach it. */
export interface Recipe {
  readonly format: 1;
  readonly prompts: LoadedJob['prompts'];
  /** The whole output schema and the part of it that travels; null for free text. */
  readonly schema: { readonly value: JsonObject; readonly sent: JsonObject } | null;
  /** Kinds of sinks whose typed columns must hold the answers. Absent: none, or written before answers were held against them. */
  readonly typed?: readonly SinkKind[];
}

export function recipeOf({ job, prompts, schema }: LoadedJob): Recipe {
  const recipe: Recipe = { format: 1, prompts, schema: null };
  return schema === null ? recipe : withCheck(recipe, schema, job);
}

/** The recipe with what answers are held against as git has it now. */
export function withCheck(
  { format, prompts }: Recipe,
  { value, sent }: NonNullable<LoadedJob['schema']>,
  { sinks }: Job,
): Recipe {
  const typed = typedKinds(sinks);
  return { format, prompts, schema: { value, sent }, ...(typed.length === 0 ? {} : { typed }) };
}

/** Of what a recipe says that answers are held against; null for free text. */
export function recipeCheck({ schema, typed = [] }: Recipe): Digest | null {
  return schema === null ? null : checkDigest(schema.value, typed);
}

export async function putRecipe(store: Store, recipe: Recipe, folder: string): Promise<StoredFile> {
  const bytes = Buffer.from(`${JSON.stringify(recipe, null, 2)}\n`);
  const digest = digestOf(bytes);
  const name = `${folder}/recipe-${digest.slice(0, 16)}.json`;
  await store.putIfAbsent(name, { bytes });
  return { name, digest, bytes: bytes.length };
}

/** @throws DamagedFiles where its file is not as it was written */
export async function readRecipe(store: Store, { recipe }: Pick<RunState, 'recipe'>): Promise<Recipe> {
  return JSON.parse(await readFile(await provenPath(store, recipe), 'utf8')) as Recipe;
}

/** What the answers of a run follow, and whether they are lists of numbers: what a sink asks. */
export function answerForm({ spec }: RunState, { schema }: Recipe): AnswerForm {
  return {
    schema: answerSchema(spec.output, schema?.value ?? null),
    isVector: spec.output.kind === 'embedding',
  };
}

export interface AnswerForm {
  readonly schema: JsonObject | null;
  readonly isVector: boolean;
}

/** What an answer of the run is held against; the recipe is the one in force. Compiles its schema: once for many. */
export function answerRules(
  { spec }: Pick<RunState, 'spec'>,
  { schema: own, typed = [] }: Pick<Recipe, 'schema' | 'typed'>,
): AnswerRules {
  const schema = answerSchema(spec.output, own?.value ?? null);
  return {
    outputKind: KIND_OF[spec.output.kind],
    check: schema === null ? null : compileAnswerCheck(schema),
    storage: compileStorageCheck(schema, typed),
  };
}

const KIND_OF: Readonly<Record<OutputSpec['kind'], AnswerRules['outputKind']>> = {
  json: 'json',
  text: 'text',
  embedding: 'numbers',
  moderation: 'json',
};

/** Where a run's files stand in the store. */
export function runFolder(run: { readonly job: string; readonly run: number }): string {
  return `${run.job}/runs/${run.run}`;
}
