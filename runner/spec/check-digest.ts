import { type Digest, digestOfValue, type JsonObject } from '../ids.ts';
import { withoutAnnotations } from './sent-schema.ts';
import { type SinkKind, storageLimits } from './storage.ts';

/**
 * Of everything that an answer is held against: the output schema, and what the columns of typed sinks can hold. The same
 * whatever the order of keywords, whatever is said to people and tools alone, and whatever sinks ask nothing more.
 * Takes the whole schema, not the sent one.
 *
 * @param typed from `typedKinds`
 */
export function checkDigest(schema: JsonObject, typed: readonly SinkKind[]): Digest {
  const storage = storageLimits(schema, typed);
  // `$schema` chooses the dialect, and so what some keywords mean.
  return digestOfValue({
    dialect: schema.$schema ?? null,
    schema: withoutAnnotations(schema),
    ...(storage === null ? {} : { storage }),
  });
}
