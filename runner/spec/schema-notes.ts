import type { Json, JsonObject } from '../ids.ts';
import { type Dialect, dialectOf, knowsKeyword } from './dialect.ts';
import type { Path } from './parse.ts';
import { isObject, schemasIn } from './schema-walk.ts';
import { isAnnotation } from './sent-schema.ts';
import type { Note } from './source-text.ts';
import { didYouMean } from './suggest.ts';

export interface SchemaNote extends Note {
  readonly path: Path;
}

/** What is wrong or doubtful in an output schema, each with the path inside it. Pure: nothing is fetched. */
export function schemaNotes(schema: JsonObject): SchemaNote[] {
  const dialect = dialectOf(schema);
  if (dialect === null) return [unknownDialect(schema)];
  return [...schemasIn(schema)].flatMap(({ schema: each, path }) => [
    ...keywordNotes(each, path, dialect),
    ...protoNotes(each, path),
    ...itemsNotes(each, path, dialect),
    ...patternNotes(each, path),
    ...refNotes(each, path, schema),
  ]);
}

function unknownDialect(schema: JsonObject): SchemaNote {
  return {
    path: ['$schema'],
    code: 'schema-dialect',
    message: `The dialect ${JSON.stringify(schema.$schema)} is not read here.`,
    hint: 'Write https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#.',
  };
}

/** Names of keywords near to which a misspelling is an error: it would silently check nothing. */
const COMMON = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'allOf',
  'oneOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'pattern',
  'format',
  'description',
];

function keywordNotes(schema: JsonObject, path: Path, dialect: Dialect): SchemaNote[] {
  return Object.keys(schema)
    .filter((keyword) => !isAnnotation(keyword) && !knowsKeyword(dialect, keyword))
    .map((keyword) => unknownKeyword(keyword, [...path, keyword]));
}

/** Words of another dialect, which would check nothing here, and what to write instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  prefixItems: 'It is a keyword of 2020-12: set `$schema` to that, or write `items` as a list.',
  dependentRequired: 'It is a keyword of 2020-12: set `$schema` to that.',
  dependentSchemas: 'It is a keyword of 2020-12: set `$schema` to that.',
  unevaluatedProperties: 'It is a keyword of 2020-12: set `$schema` to that.',
  unevaluatedItems: 'It is a keyword of 2020-12: set `$schema` to that.',
  additionalItems: 'It is a keyword of draft-07: write `prefixItems` and `items`.',
  nullable: 'It is a keyword of OpenAPI: write `"type": ["string", "null"]`.',
};

function unknownKeyword(keyword: string, path: Path): SchemaNote {
  const mend = FOREIGN[keyword] ?? didYouMean(keyword, COMMON);
  return {
    path,
    level: mend === undefined ? 'warning' : 'error',
    code: 'unknown-keyword',
    message: `\`${keyword}\` is not a keyword of the schema's dialect and checks nothing.`,
    hint: mend ?? `If it is a note of your own, name it \`x-${keyword}\`.`,
  };
}

/** Ajv leaves this name out of what it checks (`allSchemaProperties`), and in objects of JavaScript it is no property. */
const PROTO = '__proto__';

function protoNotes(schema: JsonObject, path: Path): SchemaNote[] {
  const named = NAMING.filter((keyword) => {
    const names = schema[keyword];
    return isObject(names) && Object.hasOwn(names, PROTO);
  }).map((keyword): Path => [...path, keyword, PROTO]);
  const { required } = schema;
  const wanted = Array.isArray(required) ? required.indexOf(PROTO) : -1;
  if (named.length === 0 && wanted >= 0) named.push([...path, 'required', wanted]);
  return named.map((at) => ({
    path: at,
    code: 'schema-proto',
    message:
      '`__proto__` cannot be a name in a schema: validators pass over it, so nothing would be checked.',
    hint: 'Give it another name.',
  }));
}

/** Their values are schemas by name. */
const NAMING = ['properties', '$defs', 'definitions', 'dependentSchemas'] as const;

/** In 2020-12 a list of `items` is no schema; the dialect's own schema would say so in words that help nobody. */
function itemsNotes(schema: JsonObject, path: Path, dialect: Dialect): SchemaNote[] {
  if (dialect === 'draft-07' || !Array.isArray(schema.items)) return [];
  const message = '`items` as a list belongs to draft-07.';
  const hint = 'Write `prefixItems` for the list, or set `$schema` to draft-07.';
  return [{ path: [...path, 'items'], code: 'schema-compile', message, hint }];
}

/** A pattern that only works without the `u` flag is refused, never tried in another mode: `\p{L}` would change its meaning. */
function patternNotes(schema: JsonObject, path: Path): SchemaNote[] {
  const patterns: [string, Path][] = isObject(schema.patternProperties)
    ? Object.keys(schema.patternProperties).map((name) => [name, [...path, 'patternProperties', name]])
    : [];
  if (typeof schema.pattern === 'string') patterns.push([schema.pattern, [...path, 'pattern']]);
  return patterns.flatMap(([pattern, at]) => patternNote(pattern, at) ?? []);
}

function patternNote(pattern: string, path: Path): SchemaNote | null {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    const reason = String(error).split(': ').at(-1) ?? '';
    return {
      path,
      code: 'bad-pattern',
      message: `The pattern does not compile as a Unicode expression (${reason}).`,
      hint: 'Escape only what needs it (`/` and `:` do not), and leave out inline flags such as (?i).',
    };
  }
}

function refNotes(schema: JsonObject, path: Path, root: JsonObject): SchemaNote[] {
  const ref = schema.$ref;
  if (typeof ref !== 'string') return [];
  const at = [...path, '$ref'];
  if (!ref.startsWith('#')) {
    const message = `\`${ref}\` points outside of the file; nothing is fetched.`;
    const hint = 'Copy what it names into `$defs` and write `#/$defs/<name>`.';
    return [{ path: at, code: 'remote-ref', message, hint }];
  }
  if (resolves(ref, root)) return [];
  return [{ path: at, code: 'missing-ref', message: `\`${ref}\` names nothing in this file.` }];
}

function resolves(ref: string, root: JsonObject): boolean {
  if (ref === '#') return true;
  if (!ref.startsWith('#/')) return false;
  let at: Json | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, Json>)[name];
  }
  return isObject(at) || typeof at === 'boolean';
}
