import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { outputTypes, typeName } from '../../runner/spec/output-types.ts';

const typesOf = async (schema: JsonObject) => {
  const { text } = await outputTypes(schema, 'Answer', 'schemas/answer.schema.json');
  const code = text.slice(text.indexOf('export')).replaceAll(/\/\*\*.*?\*\//gs, '');
  return code.replaceAll(/\s+/g, ' ').trim();
};
const object = (properties: JsonObject): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

const CASES: readonly (readonly [name: string, schema: JsonObject, type: string])[] = [
  [
    'labels',
    object({ label: { type: 'string', enum: ['a', 'b'] } }),
    "export interface Answer { label: 'a' | 'b'; }",
  ],
  [
    'B080: a tuple of 2020-12',
    object({
      pair: {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'number' }],
        items: false,
        minItems: 2,
      },
    }),
    'export interface Answer { pair: [string, number]; }',
  ],
  [
    'B080: one title twice',
    object({ a: { title: 'T', type: 'string' }, b: { title: 'T', type: 'number' } }),
    'export interface Answer { a: string; b: number; }',
  ],
  [
    'a property named title',
    object({ title: { type: 'string' } }),
    'export interface Answer { title: string; }',
  ],
  [
    'nothing or a text',
    object({ a: { type: ['string', 'null'] } }),
    'export interface Answer { a: string | null; }',
  ],
  [
    'definitions',
    { ...object({ a: { $ref: '#/$defs/item' } }), $defs: { item: object({ n: { type: 'integer' } }) } },
    'export interface Answer { a: Item; } export interface Item { n: number; }',
  ],
];

test.each(CASES)('%s', async (_name, schema, type) => {
  expect(await typesOf(schema)).toBe(type);
  expect(await typesOf(schema)).toBe(type);
});

test('B080: a remote $ref is never fetched', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const attempt = typesOf(object({ a: { $ref: `http://127.0.0.1:${port}/x.json` } }));
  await expect(attempt.catch(() => 'refused')).resolves.toBe('refused');
  server.close();
  expect(asked).toBe(0);
});

test('B080: what a type cannot say is told', async () => {
  const schema = { ...object({ a: { not: { type: 'string' } } }), if: {}, contains: {} };
  const { notes } = await outputTypes(schema, 'Answer', 'x');
  expect(notes.map(({ path }) => path.join('/'))).toEqual(['if', 'contains', 'properties/a/not']);
});

test.each([
  ['ticket-label.schema.json', 'TicketLabel'],
  ['team/due_date.json', 'DueDate'],
  ['2024.schema.json', 'Answer2024'],
])('%s is %s', (file, name) => {
  expect(typeName(file)).toBe(name);
});
