import type { Json, JsonObject } from '../ids.ts';
import type { ProviderKind } from './profiles.ts';
import { type SchemaSubset, subsetOf } from './schema-subset.ts';
import { changedSchema } from './schema-walk.ts';

/** Keywords that say something to people and tools, not to the model: editing them is no new run. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  'default',
  'deprecated',
  'example',
  'examples',
  'readOnly',
  'writeOnly',
  'markdownDescription',
  'tsType',
]);

/** True for a keyword that is let stand and means nothing to the validator; `x-…` is anyone's own. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith('x-');
}

/**
 * The schema as it travels in each request: without annotations and the root's title, keywords sorted (properties
 * keep their order, since models answer in it). Descriptions stay: the model reads them.
 *
 * Where nothing but keywords that narrow keeps the schema out of the provider's subset, they stay at home, and the
 * model is held to the rest; a change to one of them then asks for new checks of kept answers, not for new requests.
 */
export function sentSchema(schema: JsonObject, kind: ProviderKind): JsonObject {
  const subset = subsetOf(kind);
  const { title: _title, ...root } = withoutAnnotations(schema);
  const narrowed = changedSchema(root, (each) => withoutNarrowing(each, subset));
  return subset.problems(narrowed).length === 0 ? narrowed : root;
}

/** At every depth, keywords sorted. */
export function withoutAnnotations(schema: JsonObject): JsonObject {
  return changedSchema(schema, (each) => kept(each, (keyword) => !isAnnotation(keyword)));
}

function withoutNarrowing(schema: JsonObject, { formats, narrows }: SchemaSubset): JsonObject {
  return kept(schema, (keyword, value) =>
    keyword === 'format' ? (formats?.has(String(value)) ?? true) : !narrows(keyword, value),
  );
}

function kept(schema: JsonObject, keeps: (keyword: string, value: Json) => boolean): JsonObject {
  const entries = Object.entries(schema).filter(([keyword, value]) => keeps(keyword, value));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
