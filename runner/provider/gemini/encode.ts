import type { JsonObject } from '../../ids.ts';
import type { EncodeBody } from '../../manifest/manifest.ts';
import type { Endpoint, ModelSpec, OutputSpec } from '../../spec/job.ts';
import { PromptError } from '../../spec/prompt-values.ts';
import { changedSchema } from '../../spec/schema-walk.ts';
import { jsonText, keepingLast, mergedOver, recapped, refuseReserved } from '../body.ts';
import type { WireEnvelope } from '../port.ts';
import { responseSchemaOf } from './response-schema.ts';

/**
 * Makes the function that turns rendered prompts into a `GenerateContentRequest`. Pure; made once per run, so that all
 * that is the same in every row is serialised once.
 *
 * The body names its model although the create's address does too: the hash of a request must differ where another
 * model is asked. @google/genai 3.3.0 does the same in `inlinedRequestToMldev`.
 * @throws UserError where `model.raw` would replace a field of ours
 */
export function encoder(model: ModelSpec, output: OutputSpec, sentSchema: JsonObject | null): EncodeBody {
  refuseReserved('gemini', model);
  if (output.kind === 'embedding') return textEncoder(model, output.dimensions);
  const fields = mergedOver(
    { model: modelPath(model.name), generationConfig: generationConfig(model, output, sentSchema) },
    model.raw,
  );
  const head = jsonText(fields).slice(0, -1);
  const system = keepingLast(systemInstruction);
  return (messages) =>
    `${head}${system(messages.system)},"contents":[{"role":"user","parts":[{"text":${jsonText(messages.user)}}]}]}`;
}

/** `EmbedContentRequest`: one text, and nothing beside it. `raw` may say `taskType` and `title`. */
function textEncoder(model: ModelSpec, dimensions: number | null): EncodeBody {
  const length = dimensions === null ? {} : { outputDimensionality: dimensions };
  const head = jsonText(mergedOver({ model: modelPath(model.name), ...length }, model.raw)).slice(0, -1);
  return ({ user }) => {
    if (user === '')
      throw new PromptError('user', `The prompt is empty, and ${model.endpoint} takes no empty text.`);
    return `${head},"content":{"parts":[{"text":${jsonText(user)}}]}}`;
  };
}

/** A line of the batch guide's input file; pieces and not a function, so that SQL can build the file. */
export function wireEnvelope(_endpoint: Endpoint): WireEnvelope {
  return { beforeId: '{"key":"', afterId: '","request":', afterBody: '}' };
}

/** `models/…` where the name says nothing else; a tuned model's name begins with `tunedModels/`. */
export function modelPath(name: string): string {
  return name.includes('/') ? name : `models/${name}`;
}

/** A frozen body with another token cap. @throws RangeError where the text is no body of this encoder */
export function withTokenCap(body: string, _endpoint: Endpoint, maxTokens: number): string {
  return recapped(body, 'generationConfig.maxOutputTokens', maxTokens);
}

/** `GenerationConfig` of @google/genai 3.3.0. The cap counts thoughts too, and stands first: `withTokenCap` looks there. */
function generationConfig(
  { name, temperature, seed, reasoning }: ModelSpec,
  output: OutputSpec,
  sentSchema: JsonObject | null,
): JsonObject {
  return {
    maxOutputTokens: output.maxTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(seed === null ? {} : { seed }),
    ...(reasoning === null ? {} : { thinkingConfig: thinkingConfig(name, reasoning) }),
    ...formatOf(output, sentSchema),
  };
}

/** In Gemini's own words where it has them for the schema, else as JSON Schema. */
function formatOf(output: OutputSpec, sentSchema: JsonObject | null): JsonObject {
  if (output.kind !== 'json') return {};
  if (sentSchema === null) throw new RangeError('a job with a schema has no schema to send');
  const responseSchema = responseSchemaOf(sentSchema);
  const schema =
    responseSchema === null
      ? { responseJsonSchema: changedSchema(sentSchema, constantsListed) }
      : { responseSchema };
  return { responseMimeType: 'application/json', ...schema };
}

/** `const` is not among the keywords that count there; `enum` is. */
function constantsListed({ const: constant, ...schema }: JsonObject): JsonObject {
  return constant === undefined ? schema : { ...schema, enum: [constant] };
}

type Reasoning = NonNullable<ModelSpec['reasoning']>;

/** Tokens, as Google's OpenAI-compatible endpoint reads `reasoning_effort`; `minimal` is the least that every 2.5 takes. */
const BUDGETS: Readonly<Record<Reasoning, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
};

/**
 * `ThinkingConfig` of @google/genai 3.3.0: a budget in tokens for the 2.5 models, which refuse levels; a level for
 * later ones. Not thinking at all is a budget of 0 for both.
 */
function thinkingConfig(model: string, reasoning: Reasoning): JsonObject {
  if (reasoning === 'none' || /(^|\/)gemini-2\./.test(model)) return { thinkingBudget: BUDGETS[reasoning] };
  return { thinkingLevel: reasoning.toUpperCase() };
}

function systemInstruction(system: string | null): string {
  return system === null ? '' : `,"systemInstruction":{"parts":[{"text":${jsonText(system)}}]}`;
}
