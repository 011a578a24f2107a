import { readFile } from 'node:fs/promises';
import { digestOf, type JsonObject } from '../ids.ts';
import type { RunState } from '../journal/state.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import type { AnswerRules } from '../outcome/validate.ts';
import { answerSchema } from '../spec/answer-schema.ts';
import type { LoadedJob, OutputSpec } from '../spec/job.ts';
import { compileAnswerCheck } from '../spec/output-schema.ts';
import type { Store } from '../store/port.ts';
import { provenPath } from './stored.ts';

/** What a run was made with, as its own file in the store: later edits of prompts and schema do not reach it. */
export interface Recipe {
  readonly format: 1;
  readonly prompts: LoadedJob['prompts'];
  /** The whole output schema and the part of it that travels; null for free text. */
  readonly schema: { readonly value: JsonObject; readonly sent: JsonObject } | null;
}

export function recipeOf({ prompts, schema }: LoadedJob): Recipe {
  return {
    format: 1,
    prompts,
    schema: schema === null ? null : { value: schema.value, sent: schema.sent },
  };
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

/** What an answer of the run is held against; `own` is the job's schema as it is in force. Compiles it: once for many. */
export function answerRules({ spec }: Pick<RunState, 'spec'>, own: JsonObject | null): AnswerRules {
  const schema = answerSchema(spec.output, own);
  const check = schema === null ? null : compileAnswerCheck(schema);
  return { outputKind: KIND_OF[spec.output.kind], check };
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
