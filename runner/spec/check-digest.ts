import { type Digest, digestOfValue, type JsonObject } from '../ids.ts';
import { withoutAnnotations } from './sent-schema.ts';

/**
 * Of everything in an output schema that an answer is held against. The same whatever the order of keywords and
 * whatever is said to people and tools alone. Takes the whole schema, not the sent one.
 */
export function checkDigest(schema: JsonObject): Digest {
  // `$schema` chooses the dialect, and so what some keywords mean.
  return digestOfValue({ dialect: schema.$schema ?? null, schema: withoutAnnotations(schema) });
}
