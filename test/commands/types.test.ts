import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTypes } from '../../runner/commands/types.ts';
import { repo, TICKET_SCHEMA } from '../support/repo.ts';

async function typed(root: string, json = false): Promise<{ code: number; text: string }> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  return { code: await runTypes({ root, json, color: false, out }), text };
}

test('a type for each schema of the repository, none for ours, the same bytes each time', async () => {
  await using files = await repo({
    'schemas/ticket-label.schema.json': TICKET_SCHEMA,
    'schemas/team/other.json':
      '{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}',
    'schemas/batchwright/job.schema.json': '{}',
  });
  expect(await typed(files.root)).toEqual({
    code: 0,
    text: 'schemas/types/team/other.d.ts\nschemas/types/ticket-label.d.ts\n2 schemas typed\n',
  });
  const path = join(files.root, 'schemas/types/ticket-label.d.ts');
  const first = await readFile(path, 'utf8');
  expect(first).toContain('export interface TicketLabel {');
  await typed(files.root);
  expect(await readFile(path, 'utf8')).toBe(first);
});

test('a type whose schema is gone is removed; a file of your own is not', async () => {
  await using files = await repo({
    'schemas/a.schema.json': TICKET_SCHEMA,
    'schemas/types/mine.d.ts': 'export {};\n',
  });
  await typed(files.root);
  await files.write({ 'schemas/b.schema.json': TICKET_SCHEMA });
  await rm(join(files.root, 'schemas/a.schema.json'));
  const { text } = await typed(files.root);
  expect(text).toContain('schemas/types/a.d.ts removed: its schema is gone');
  expect(await readdir(join(files.root, 'schemas/types'))).toEqual(['b.d.ts', 'mine.d.ts']);
});

test('a schema that cannot be used is told, the others are typed, exit code 1', async () => {
  await using files = await repo({
    'schemas/good.schema.json': TICKET_SCHEMA,
    'schemas/bad.schema.json': '{"$ref":"http://127.0.0.1:9/x.json"}',
  });
  const { code, text } = await typed(files.root);
  expect(code).toBe(1);
  expect(text).toContain('schemas/types/good.d.ts\n1 schema typed\n');
  expect(text).toContain('schemas/bad.schema.json:1:2 error[remote-ref]');
});

test('--json, and what a type cannot say', async () => {
  await using files = await repo({ 'schemas/a.json': '{"type":"object","not":{"required":["b"]}}' });
  const { code, text } = await typed(files.root, true);
  expect(code).toBe(0);
  expect(JSON.parse(text)).toMatchObject({
    format: 'batchwright/types/v1',
    written: ['schemas/types/a.d.ts'],
    removed: [],
    findings: [{ level: 'warning', code: 'type-wider' }],
  });
});
