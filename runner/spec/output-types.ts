import { compile } from 'json-schema-to-typescript';
import type { JsonObject } from '../ids.ts';
import type { SchemaNote } from './schema-notes.ts';
import { changedSchema, pointerOf, schemasIn } from './schema-walk.ts';

export interface OutputTypes {
  /** A TypeScript declaration file. */
  readonly text: string;
  /** Keywords that a type cannot say: it is wider there than the schema. */
  readonly notes: readonly SchemaNote[];
}

/**
 * The type of the answers that follow a schema. Nothing is fetched, and the same schema gives the same bytes:
 * titles, which would name and number types, are left out, and so is everything that is only for readers of JSON.
 */
export async function outputTypes(schema: JsonObject, name: string, from: string): Promise<OutputTypes> {
  const text = await compile(changedSchema(schema, forTypes) as object, name, {
    bannerComment: bannerOf(from),
    additionalProperties: true,
    enableConstEnums: false,
    $refOptions: { resolve: { http: false, file: false } },
    style: { singleQuote: true, printWidth: 110 },
  });
  return { text, notes: inexpressible(schema) };
}

/** The first line of every file that is written, by which a stale one is known. */
export function bannerOf(from: string): string {
  return `/** Generated from ${from} by \`batchwright types\`; edit the schema instead. */`;
}

/** `ticket-label.schema.json` is `TicketLabel`. */
export function typeName(file: string): string {
  const stem = file.replace(/^.*\//, '').replace(/(\.schema)?\.json$/, '');
  const words = stem.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(name) ? name : `Answer${name}`;
}

/** Tuples of 2020-12 in the words of draft-07, which the generator knows; it would make `never[]` of them. */
function forTypes(schema: JsonObject): JsonObject {
  const { title: _title, $id: _id, prefixItems, items, ...rest } = schema;
  if (prefixItems === undefined) return items === undefined ? rest : { ...rest, items };
  return { ...rest, items: prefixItems, additionalItems: items ?? true };
}

const INEXPRESSIBLE = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
];

function inexpressible(schema: JsonObject): SchemaNote[] {
  return [...schemasIn(schema)].flatMap(({ schema: each, path }) =>
    INEXPRESSIBLE.filter((keyword) => each[keyword] !== undefined).map(
      (keyword): SchemaNote => ({
        path: [...path, keyword],
        level: 'warning',
        code: 'type-wider',
        message: `${pointerOf([...path, keyword])}: a TypeScript type cannot say \`${keyword}\`; it is wider than the schema.`,
      }),
    ),
  );
}
