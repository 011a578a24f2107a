import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from 'json-schema-to-typescript';
import type { Json, JsonObject } from '../runner/ids.ts';

/** The schemas are the one source; these are the types that people's files have once they are valid. */
export const GENERATED = [
  {
    schema: 'schemas/batchwright/job.schema.json',
    type: 'WrittenJob',
    file: 'runner/spec/written-job.generated.ts',
  },
  {
    schema: 'schemas/batchwright/settings.schema.json',
    type: 'WrittenSettings',
    file: 'runner/spec/written-settings.generated.ts',
  },
  {
    schema: 'schemas/batchwright/approval.schema.json',
    type: 'WrittenApproval',
    file: 'runner/spec/written-approval.generated.ts',
  },
] as const;

const ROOT = join(import.meta.dirname, '..');

/** The text of a generated file. The same schema gives the same bytes; nothing is fetched. */
export async function generatedTypes(schemaPath: string, type: string): Promise<string> {
  const schema = JSON.parse(await readFile(join(ROOT, schemaPath), 'utf8')) as JsonObject;
  return compile(forTypes(schema) as object, type, {
    bannerComment: `/** Generated from ${schemaPath} by scripts/schema-types.ts; edit the schema instead. */`,
    additionalProperties: true,
    ignoreMinAndMaxItems: true,
    $refOptions: { resolve: { http: false, file: false } },
    style: { singleQuote: true, printWidth: 110 },
  });
}

/**
 * Titles would rename the types, examples and defaults would fill the comments, and the `oneOf` of `output`
 * (a rule between fields, not a shape) would make its type an intersection nobody can read.
 */
function forTypes(value: Json): Json {
  if (Array.isArray(value)) return value.map(forTypes);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, inner]) => !isNoise(name, inner));
  return Object.fromEntries(kept.map(([name, inner]) => [name, forTypes(inner)]));
}

/** `title` is noise only as text: it might be the name of a property. */
function isNoise(name: string, value: Json): boolean {
  return (name === 'title' && typeof value === 'string') || ['default', 'examples', 'oneOf'].includes(name);
}

if (import.meta.main) {
  for (const { schema, type, file } of GENERATED) {
    await writeFile(join(ROOT, file), await generatedTypes(schema, type));
  }
}
