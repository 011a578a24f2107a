import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonObject } from '../ids.ts';
import { countByDigits } from './multiple-of.ts';
import { changedSchema } from './schema-walk.ts';
import { isAnnotation } from './sent-schema.ts';

export type Dialect = '2020-12' | 'draft-07';

/** By `$schema`; 2020-12 where it says nothing, null where it names another. */
export function dialectOf(schema: JsonObject): Dialect | null {
  const { $schema } = schema;
  if ($schema === undefined) return '2020-12';
  const name = String($schema)
    .replace(/^https?:\/\//, '')
    .replace(/#$/, '');
  if (name === 'json-schema.org/draft/2020-12/schema') return '2020-12';
  return name === 'json-schema.org/draft-07/schema' ? 'draft-07' : null;
}

/** `$async` and OpenAPI's `nullable` are Ajv's own additions: no provider would read them as it does. */
export function knowsKeyword(dialect: Dialect, keyword: string): boolean {
  if (keyword === '$async' || keyword === 'nullable') return false;
  return instanceOf(dialect).RULES.keywords[keyword] === true;
}

/** What the dialect's own schema says against this one, with Ajv's words. */
export function metaErrors(dialect: Dialect, schema: JsonObject): readonly ErrorObject[] {
  const ajv = instanceOf(dialect);
  return ajv.validateSchema(schema) === true ? [] : (ajv.errors ?? []);
}

/**
 * Schemas that check the same are compiled once: Ajv keeps whatever it compiled for as long as it lives, and a
 * reconciler that watches reads every schema again in each pass.
 * @throws Error with Ajv's message where the schema does not compile
 */
export function compileIn(dialect: Dialect, schema: JsonObject): ValidateFunction {
  // `$id` would collide where two files name the same, and a `$ref` stays inside its file anyway.
  const checked = changedSchema(schema, (each) => checking(dialect, each));
  const key = `${dialect} ${JSON.stringify(checked)}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = instanceOf(dialect).compile(checked);
  compiled.set(key, made);
  return made;
}

const compiled = new Map<string, ValidateFunction>();

function checking(dialect: Dialect, schema: JsonObject): JsonObject {
  const entries = Object.entries(schema);
  return Object.fromEntries(
    entries.filter(([keyword]) => !isAnnotation(keyword) && knowsKeyword(dialect, keyword)),
  );
}

/** `strictTypes` and its kin warn about style; `strictSchema` about what would check nothing, and that is an error. */
const OPTIONS: Options = {
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  ownProperties: true,
  verbose: true,
  logger: false,
};

const instances = new Map<Dialect, Ajv>();

function instanceOf(dialect: Dialect): Ajv {
  const known = instances.get(dialect);
  if (known !== undefined) return known;
  const made = dialect === 'draft-07' ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  formats.default(made);
  countByDigits(made);
  instances.set(dialect, made);
  return made;
}
