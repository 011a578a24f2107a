import type { JsonObject } from '../ids.ts';
import { schemasIn } from './schema-walk.ts';
import { ONLY_NARROWING, type StrictProblem } from './strict-subset.ts';

/**
 * What Gemini does not hold its models to, after `GenerateContentConfig.responseJsonSchema` of @google/genai 3.3.0: it
 * takes a list of keywords and passes over the others in silence (structured output guide, "Limitations").
 */
export function geminiProblems(schema: JsonObject): StrictProblem[] {
  return [...schemasIn(schema)].flatMap(({ schema: each, path }) => [
    ...Object.keys(each)
      .filter((keyword) => !isTaken(keyword) && !isListable(keyword, each))
      .map((keyword) => ({
        path: [...path, keyword],
        message: `Gemini passes over \`${keyword}\`.`,
        hint: HINTS[keyword] ?? 'Say it in another way, or in the `description`.',
      })),
    ...(hasCompanyOfRef(each)
      ? [
          {
            path: [...path, '$ref'],
            message: 'Gemini takes no other keyword beside `$ref`.',
            hint: 'Move the others to where `$ref` points.',
          },
        ]
      : []),
  ]);
}

/** Of the keywords that are passed over, those that only narrow: each answer is checked here against all of them anyway. */
export const GEMINI_NARROWING: ReadonlySet<string> = new Set([
  ...ONLY_NARROWING,
  'pattern',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);

const TAKEN: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'additionalProperties',
  'required',
  'propertyOrdering',
]);

const HINTS: Readonly<Record<string, string>> = {
  const: 'Write `enum`, with texts or numbers.',
  allOf: 'Write the parts as one schema.',
  definitions: 'Write `$defs`.',
};

function isTaken(keyword: string): boolean {
  return keyword.startsWith('$') || TAKEN.has(keyword);
}

/** A constant travels as a list of one, which may hold texts and numbers. */
function isListable(keyword: string, schema: JsonObject): boolean {
  return keyword === 'const' && ['string', 'number'].includes(typeof schema.const);
}

function hasCompanyOfRef(schema: JsonObject): boolean {
  return schema.$ref !== undefined && Object.keys(schema).some((keyword) => !keyword.startsWith('$'));
}
