import type { JsonObject } from '../ids.ts';
import type { OutputSpec } from './job.ts';

/**
 * What an answer must be, by kind of output: the job's own schema, or ours where the provider decides the form. Null
 * for free text. It is checked here and gives the sinks their columns; only a job's own schema travels.
 */
export function answerSchema(output: OutputSpec, own: JsonObject | null): JsonObject | null {
  switch (output.kind) {
    case 'json':
      return own;
    case 'text':
      return null;
    case 'embedding':
      return embeddingSchema(output.dimensions);
    case 'moderation':
      return MODERATION;
    default:
      return output satisfies never;
  }
}

function embeddingSchema(dimensions: number | null): JsonObject {
  const length = dimensions === null ? { minItems: 1 } : { minItems: dimensions, maxItems: dimensions };
  return { type: 'array', items: { type: 'number' }, ...length };
}

/** openai SDK 7.59.0, `Moderation`. Older models leave out the last property, and newer ones may add categories. */
const MODERATION: JsonObject = {
  type: 'object',
  required: ['flagged', 'categories', 'category_scores'],
  properties: {
    flagged: { type: 'boolean' },
    categories: { type: 'object', additionalProperties: { type: ['boolean', 'null'] } },
    category_scores: { type: 'object', additionalProperties: { type: ['number', 'null'] } },
    category_applied_input_types: { type: 'object' },
  },
};
