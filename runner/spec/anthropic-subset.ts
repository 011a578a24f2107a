import type { Json, JsonObject } from '../ids.ts';
import type { Path } from './parse.ts';
import { isObject, pointerOf, schemasIn } from './schema-walk.ts';
import type { StrictProblem } from './strict-subset.ts';

/**
 * Why a schema cannot travel as `output_config.format`, after Anthropic's guide "Structured outputs", section "JSON
 * Schema limitations" (as of 2026), and `lib/transform-json-schema` of @anthropic-ai/sdk 1.14.0: objects are closed,
 * though properties may be absent; nothing refers to itself; enums hold plain values. There is no milder mode: a schema
 * outside is refused in every request.
 */
export function anthropicProblems(schema: JsonObject): StrictProblem[] {
  const all = [...schemasIn(schema)];
  const inner = all.flatMap(({ schema: each, path }) => [
    ...openProblems(each, path),
    ...keywordProblems(each, path),
    ...valueProblems(each, path),
    ...typeProblems(each, path),
  ]);
  return [...inner, ...recursionProblems(schema), ...sizeProblems(all.map((each) => each.schema))];
}

/** The formats that are taken: `SUPPORTED_STRING_FORMATS` of the SDK. */
export const ANTHROPIC_FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** Keywords that only narrow an answer further and are not taken; each answer is checked here against them anyway. */
const NARROWING: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
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

/** Look-around, references back, word boundaries and Unicode classes, which the guide's part of regular expressions lacks. */
const RICH_PATTERN = /\(\?[=!<]|\\[bB1-9kpP]/;

/** True for what may stay at home: a keyword that is not taken, or not with this value, and that only narrows. */
export function anthropicNarrows(keyword: string, value: Json): boolean {
  if (keyword === 'minItems') return value !== 0 && value !== 1;
  if (keyword === 'pattern') return RICH_PATTERN.test(String(value));
  return NARROWING.has(keyword);
}

const NOT_TAKEN: ReadonlySet<string> = new Set([
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

function openProblems(schema: JsonObject, path: Path): StrictProblem[] {
  const isObjectSchema = [schema.type].flat().includes('object') || schema.properties !== undefined;
  if (!isObjectSchema || schema.additionalProperties === false) return [];
  return [{ path, message: 'Anthropic needs closed objects.', hint: 'Add `"additionalProperties": false`.' }];
}

function keywordProblems(schema: JsonObject, path: Path): StrictProblem[] {
  return Object.entries(schema)
    .filter(([keyword, value]) => isNotTaken(keyword, value))
    .map(([keyword]) => ({
      path: [...path, keyword],
      message: `Anthropic does not take \`${keyword}\` here.`,
      hint: keyword === 'oneOf' ? 'Write `anyOf`.' : 'Say it in another way, or in the `description`.',
    }));
}

function isNotTaken(keyword: string, value: Json): boolean {
  if (keyword === 'format') return !ANTHROPIC_FORMATS.has(String(value));
  if (keyword === 'items') return Array.isArray(value);
  return NOT_TAKEN.has(keyword) || anthropicNarrows(keyword, value);
}

/** `enum` and `const` hold strings, numbers, booleans and null. */
function valueProblems(schema: JsonObject, path: Path): StrictProblem[] {
  return ['enum', 'const']
    .filter((keyword) =>
      [schema[keyword]].flat().some((value) => typeof value === 'object' && value !== null),
    )
    .map((keyword) => ({
      path: [...path, keyword],
      message: `Anthropic takes only plain values in \`${keyword}\`.`,
      hint: 'Describe the object or list with its own schema, in `anyOf` where there are several.',
    }));
}

const TYPED = ['type', '$ref', 'anyOf', 'allOf', 'enum', 'const'];

function typeProblems(schema: JsonObject, path: Path): StrictProblem[] {
  if (TYPED.some((keyword) => schema[keyword] !== undefined)) return [];
  if (path.some((step) => typeof step === 'string' && NOT_TAKEN.has(step))) return [];
  return [{ path, message: 'Anthropic needs a `type` here.', hint: 'Add `"type"`.' }];
}

/** The first reference by which a schema comes back to itself. */
function recursionProblems(root: JsonObject): StrictProblem[] {
  const places = new Map([...schemasIn(root)].map(({ schema, path }) => [pointerOf(path), schema]));
  const done = new Set<string>();

  function circleFrom(pointer: string, trail: readonly string[]): Path | null {
    const start = places.get(pointer);
    if (start === undefined || done.has(pointer)) return null;
    for (const { schema, path } of schemasIn(start)) {
      const target = path.some(isDefinitions) ? null : targetOf(schema);
      if (target === null) continue;
      if (trail.includes(target)) return [...pointer.split('/').slice(1), ...path, '$ref'];
      const circle = circleFrom(target, [...trail, target]);
      if (circle !== null) return circle;
    }
    done.add(pointer);
    return null;
  }

  const circle = circleFrom('', ['']);
  if (circle === null) return [];
  const hint = 'Write out as many levels as an answer needs.';
  return [{ path: circle, message: 'Anthropic takes no schema that refers to itself.', hint }];
}

function isDefinitions(step: string | number): boolean {
  return step === '$defs' || step === 'definitions';
}

function targetOf({ $ref }: JsonObject): string | null {
  return typeof $ref === 'string' && $ref.startsWith('#') ? decodeURIComponent($ref.slice(1)) : null;
}

/** The guide's limits of how much a schema may leave open: 24 optional properties, 16 places with several types. */
function sizeProblems(all: readonly JsonObject[]): StrictProblem[] {
  const optional = all.reduce((sum, each) => sum + optionalIn(each), 0);
  const unions = all.filter((each) => each.anyOf !== undefined || Array.isArray(each.type)).length;
  const hint = 'Require what is always there, or split the question into two jobs.';
  return [
    ...(optional > 24
      ? [{ path: [], message: `Anthropic takes 24 optional properties; these are ${optional}.`, hint }]
      : []),
    ...(unions > 16
      ? [{ path: [], message: `Anthropic takes 16 places with several types; these are ${unions}.`, hint }]
      : []),
  ];
}

function optionalIn({ properties, required }: JsonObject): number {
  const names = isObject(properties) ? Object.keys(properties) : [];
  return names.filter((name) => !(Array.isArray(required) && required.includes(name))).length;
}
