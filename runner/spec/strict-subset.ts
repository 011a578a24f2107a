import type { Json, JsonObject } from '../ids.ts';
import type { Path } from './parse.ts';
import { isObject, schemasIn } from './schema-walk.ts';

/** One thing that keeps a schema out of OpenAI's strict mode, and how to mend it. */
export interface StrictProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint: string;
}

/**
 * Why a schema cannot travel with `strict: true`, after OpenAI's guide "Structured model outputs", section
 * "Supported schemas" (as of 2026): the root is an object; objects are closed and require every property; `anyOf` is
 * the one way to combine; at most 5,000 properties, 10 levels of objects and 1,000 enum values.
 */
export function strictProblems(schema: JsonObject): StrictProblem[] {
  const inner = [...schemasIn(schema)].flatMap(({ schema: each, path }) => [
    ...objectProblems(each, path),
    ...keywordProblems(each, path),
    ...typeProblems(each, path),
  ]);
  return [...rootProblems(schema), ...inner, ...sizeProblems(schema)];
}

/**
 * Keywords that strict mode does not take and that only narrow an answer further. They can be left out of the
 * request: each answer is checked here against the whole schema anyway.
 */
export const ONLY_NARROWING: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'contains',
  'minContains',
  'maxContains',
  'propertyNames',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);

/** The formats that strict mode takes. */
export const STRICT_FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

const NOT_TAKEN: ReadonlySet<string> = new Set([
  ...ONLY_NARROWING,
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'patternProperties',
  'prefixItems',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
  '$recursiveRef',
]);

function rootProblems(schema: JsonObject): StrictProblem[] {
  if (schema.type === 'object' && schema.anyOf === undefined) return [];
  const message = 'Strict mode needs an object without `anyOf` at the root.';
  const hint = 'Put the answer into a property: `{"type": "object", "properties": {"answer": …}, …}`.';
  return [{ path: [], message, hint }];
}

function objectProblems(schema: JsonObject, path: Path): StrictProblem[] {
  if (!isObjectSchema(schema)) return [];
  const problems: StrictProblem[] = [];
  if (schema.additionalProperties !== false) {
    problems.push({
      path,
      message: 'Strict mode needs closed objects.',
      hint: 'Add `"additionalProperties": false`.',
    });
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  for (const name of names.filter((each) => !required.includes(each))) {
    problems.push({
      path: [...path, 'properties', name],
      message: `Strict mode needs every property, and \`${name}\` is not in \`required\`.`,
      hint: 'Add it; where it may be absent, give it a type such as `["string", "null"]`.',
    });
  }
  return problems;
}

function isObjectSchema(schema: JsonObject): boolean {
  return [schema.type].flat().includes('object') || schema.properties !== undefined;
}

function keywordProblems(schema: JsonObject, path: Path): StrictProblem[] {
  const problems = Object.keys(schema)
    .filter((keyword) => NOT_TAKEN.has(keyword) || (keyword === 'items' && Array.isArray(schema.items)))
    .map((keyword) => ({
      path: [...path, keyword],
      message: `Strict mode does not take \`${keyword}\`.`,
      hint: keyword === 'oneOf' ? 'Write `anyOf`.' : 'Say it in another way, or in the `description`.',
    }));
  const { format } = schema;
  if (typeof format !== 'string' || STRICT_FORMATS.has(format)) return problems;
  const hint = 'Say it in the `description`.';
  return [
    ...problems,
    { path: [...path, 'format'], message: `Strict mode does not take the format \`${format}\`.`, hint },
  ];
}

const TYPED = ['type', '$ref', 'anyOf'];

/** `$defs` and the like hold no values; everything else that a value meets needs a type. */
function typeProblems(schema: JsonObject, path: Path): StrictProblem[] {
  if (path.length === 0 || TYPED.some((keyword) => schema[keyword] !== undefined)) return [];
  if (path.some((step) => typeof step === 'string' && NOT_TAKEN.has(step))) return [];
  return [
    {
      path,
      message: 'Strict mode needs a `type` here.',
      hint: 'Add `"type"`, also beside `enum` and `const`.',
    },
  ];
}

function sizeProblems(schema: JsonObject): StrictProblem[] {
  const all = [...schemasIn(schema)];
  const properties = all.reduce((sum, each) => sum + countOf(each.schema.properties), 0);
  const enums = all.reduce((sum, each) => sum + countOf(each.schema.enum), 0);
  const levels = Math.max(...all.map(({ path }) => 1 + path.filter((step) => step === 'properties').length));
  const hint = 'Split the question into two jobs, or ask for less.';
  return [
    ...(properties > 5000
      ? [{ path: [], message: `Strict mode takes 5,000 properties; these are ${properties}.`, hint }]
      : []),
    ...(enums > 1000
      ? [{ path: [], message: `Strict mode takes 1,000 enum values; these are ${enums}.`, hint }]
      : []),
    ...(levels > 11
      ? [{ path: [], message: `Strict mode takes 10 levels of objects; these are ${levels - 1}.`, hint }]
      : []),
  ];
}

function countOf(value: Json | undefined): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
