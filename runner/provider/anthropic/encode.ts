import { userError } from '../../errors.ts';
import type { JsonObject } from '../../ids.ts';
import type { EncodeBody } from '../../manifest/manifest.ts';
import type { Endpoint, ModelSpec, OutputSpec } from '../../spec/job.ts';
import { subsetOf } from '../../spec/schema-subset.ts';
import { jsonText, keepingLast, mergedOver, recapped, refuseReserved } from '../body.ts';
import type { WireEnvelope } from '../port.ts';

/**
 * Makes the function that turns rendered prompts into the `params` of a request: `MessageCreateParams` of
 * @anthropic-ai/sdk 1.14.0. Pure; made once per run, so that all that is the same in every row is serialised once.
 * @throws UserError where the API does not take a parameter, or `model.raw` would replace a field of ours.
 */
export function encoder(model: ModelSpec, output: OutputSpec, sentSchema: JsonObject | null): EncodeBody {
  refuseReserved('anthropic', model);
  refuseSampling(model);
  const fields = mergedOver(fieldsOf(model, output, sentSchema), model.raw);
  const head = jsonText(fields).slice(0, -1);
  const system = keepingLast(systemField);
  return (messages) =>
    `${head}${system(messages.system)},"messages":[{"role":"user","content":${jsonText(messages.user)}}]}`;
}

/** A member of `requests`, which the create makes of the lines of the file. */
export function wireEnvelope(): WireEnvelope {
  return { beforeId: '{"custom_id":"', afterId: '","params":', afterBody: '}' };
}

/** A frozen body with another token cap. @throws RangeError where the text is no body of this encoder */
export function withTokenCap(body: string, _endpoint: Endpoint, maxTokens: number): string {
  return recapped(body, 'max_tokens', maxTokens);
}

/** Every request would come back as an error, hours later. */
function refuseSampling(model: ModelSpec): void {
  const name = (['temperature', 'seed'] as const).find((each) => model[each] !== null);
  if (name === undefined) return;
  throw userError(
    'parameter-not-taken',
    `\`model.${name}\` is not a parameter of Anthropic's /v1/messages.`,
    'Leave it out.',
  );
}

/** The cap stands second: `withTokenCap` looks for it there. */
function fieldsOf(model: ModelSpec, output: OutputSpec, sentSchema: JsonObject | null): JsonObject {
  const config = { ...effortOf(model), ...formatOf(output, sentSchema) };
  return {
    model: model.name,
    max_tokens: output.maxTokens,
    ...(model.reasoning === 'none' ? { thinking: { type: 'disabled' } } : {}),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
  };
}

/**
 * `OutputConfig.effort`, how much the model puts into an answer, its thinking included. Not `thinking.budget_tokens`:
 * newer models refuse it, and it would have to be below the job's token cap.
 */
function effortOf({ reasoning }: ModelSpec): JsonObject {
  if (reasoning === null || reasoning === 'none') return {};
  if (reasoning !== 'minimal') return { effort: reasoning };
  throw userError(
    'parameter-not-taken',
    "`model.reasoning: minimal` is not a level of Anthropic's /v1/messages.",
    'Write `low`, or `none` for no thinking at all.',
  );
}

/**
 * A schema outside the subset would be refused in every row, so it stays at home: `validate` has said so, and every
 * answer is checked against the whole schema here.
 */
function formatOf(output: OutputSpec, sentSchema: JsonObject | null): JsonObject {
  if (output.kind === 'text') return {};
  if (sentSchema === null) throw new RangeError('a job with a schema has no schema to send');
  if (subsetOf('anthropic').problems(sentSchema).length > 0) return {};
  return { format: { type: 'json_schema', schema: sentSchema } };
}

function systemField(system: string | null): string {
  return system === null ? '' : `,"system":${jsonText(system)}`;
}
