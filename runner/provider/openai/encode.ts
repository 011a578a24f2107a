import { userError } from '../../errors.ts';
import type { JsonObject } from '../../ids.ts';
import type { EncodeBody } from '../../manifest/manifest.ts';
import type { Endpoint, ModelSpec, OutputSpec } from '../../spec/job.ts';
import { isStrict } from '../../spec/output-schema.ts';
import { PromptError } from '../../spec/prompt-values.ts';
import { jsonText, keepingLast, mergedOver, recapped, refuseReserved } from '../body.ts';
import type { WireEnvelope } from '../port.ts';

/**
 * Makes the function that turns rendered prompts into a request body. Pure; made once per run, so that all that
 * is the same in every row is serialised once: what is left per row is one string (9 µs a row instead of 13).
 *
 * Nothing is sent that was not asked for: a parameter that is null is absent, and the provider's default holds.
 * @throws UserError where the endpoint does not take a parameter, or `model.raw` would replace a field of ours.
 */
export function encoder(model: ModelSpec, output: OutputSpec, sentSchema: JsonObject | null): EncodeBody {
  refuseReserved('openai', model);
  if (output.kind === 'embedding' || output.kind === 'moderation') return textEncoder(model, output);
  const neutral = model.endpoint === '/v1/responses' ? responsesFields : chatFields;
  const fields = mergedOver(neutral(model, output, formatOf(output, sentSchema)), model.raw);
  const head = headOf(fields, messagesField(model.endpoint));
  const system = keepingLast(systemMessage);
  return (messages) =>
    `${head}[${system(messages.system)}{"role":"user","content":${jsonText(messages.user)}}]}`;
}

/** A request line as the OpenAI batch guide has it; pieces and not a function, so that SQL can build the file. */
export function wireEnvelope(endpoint: Endpoint): WireEnvelope {
  return {
    beforeId: '{"custom_id":"',
    afterId: `","method":"POST","url":"${endpoint}","body":`,
    afterBody: '}',
  };
}

/** The whole line, without its line feed. A wire id is base 36 and an underscore: it needs no escaping. */
export function wireLine(wireId: string, endpoint: Endpoint, body: string): string {
  const { beforeId, afterId, afterBody } = wireEnvelope(endpoint);
  return `${beforeId}${wireId}${afterId}${body}${afterBody}`;
}

/** A frozen body with another token cap. @throws RangeError where the text is no body of this encoder */
export function withTokenCap(body: string, endpoint: Endpoint, maxTokens: number): string {
  return recapped(body, capField(endpoint), maxTokens);
}

/**
 * `EmbeddingCreateParams` and `ModerationCreateParams` (openai SDK 7.59.0): one text, and nothing beside it. Numbers
 * are asked for as such, since in base64 nobody can read a raw file, and some servers' default is that.
 */
function textEncoder(model: ModelSpec, output: OutputSpec): EncodeBody {
  const head = headOf(mergedOver(textFields(model, output), model.raw), 'input');
  return ({ user }) => {
    if (user === '')
      throw new PromptError('user', `The prompt is empty, and ${model.endpoint} takes no empty text.`);
    return `${head}${jsonText(user)}}`;
  };
}

function textFields(model: ModelSpec, output: OutputSpec): JsonObject {
  if (output.kind !== 'embedding') return { model: model.name };
  const length = output.dimensions === null ? {} : { dimensions: output.dimensions };
  return { model: model.name, ...length, encoding_format: 'float' };
}

/** The body as far as it is the same in every row. */
function headOf(fields: JsonObject, last: string): string {
  return `${jsonText(fields).slice(0, -1)},"${last}":`;
}

function capField(endpoint: Endpoint): 'max_output_tokens' | 'max_completion_tokens' {
  return endpoint === '/v1/responses' ? 'max_output_tokens' : 'max_completion_tokens';
}

function messagesField(endpoint: Endpoint): 'input' | 'messages' {
  return endpoint === '/v1/responses' ? 'input' : 'messages';
}

type Format = { readonly name: string; readonly strict: boolean; readonly schema: JsonObject } | null;

/**
 * The name is the same for every schema: one taken from the file would make a renamed file a new request for
 * every row, and would tell the provider a business name.
 */
function formatOf(output: OutputSpec, sentSchema: JsonObject | null): Format {
  if (output.kind !== 'json') return null;
  if (sentSchema === null) throw new RangeError('a job with a schema has no schema to send');
  return { name: 'answer', strict: isStrict(sentSchema), schema: sentSchema };
}

/** Fields of `ResponseCreateParams` (openai SDK 7.59.0). The cap stands second: `withTokenCap` looks for it there. */
function responsesFields(model: ModelSpec, output: OutputSpec, format: Format): JsonObject {
  if (model.seed !== null) {
    throw userError(
      'seed-not-taken',
      '`model.seed` is not a parameter of /v1/responses.',
      'Leave it out, or set `model.endpoint: /v1/chat/completions`.',
    );
  }
  return {
    model: model.name,
    max_output_tokens: output.maxTokens,
    ...(model.temperature === null ? {} : { temperature: model.temperature }),
    ...(model.reasoning === null ? {} : { reasoning: { effort: model.reasoning } }),
    ...(format === null ? {} : { text: { format: { type: 'json_schema', ...format } } }),
  };
}

/** Fields of `ChatCompletionCreateParams` (openai SDK 7.59.0). */
function chatFields(model: ModelSpec, output: OutputSpec, format: Format): JsonObject {
  return {
    model: model.name,
    max_completion_tokens: output.maxTokens,
    ...(model.temperature === null ? {} : { temperature: model.temperature }),
    ...(model.reasoning === null ? {} : { reasoning_effort: model.reasoning }),
    ...(model.seed === null ? {} : { seed: model.seed }),
    ...(format === null ? {} : { response_format: { type: 'json_schema', json_schema: { ...format } } }),
  };
}

/**
 * A `system` message at both endpoints: every model takes it (newer ones read it as `developer`), and so do the
 * OpenAI-shaped servers. Not `instructions`, which a response repeats: fifty thousand copies of the system prompt
 * would come back with the answers.
 */
function systemMessage(system: string | null): string {
  return system === null ? '' : `{"role":"system","content":${jsonText(system)}},`;
}
