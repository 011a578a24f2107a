import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNew } from '../../runner/commands/new.ts';
import { runValidate } from '../../runner/commands/validate.ts';
import { sourceColumns } from '../../runner/manifest/source.ts';
import { repo } from '../support/repo.ts';

const CSV = 'ticket_id,subject,first name,json\n1,a,b,c\n';

async function made(
  root: string,
  changes: { name?: string; from?: string; key?: string } = {},
): Promise<string> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  const named = { name: 'ticket-labels', from: 'data/tickets.csv', key: 'ticket_id', ...changes };
  await runNew({ root, ...named, sourceColumns, out });
  return text;
}

test('four files that validate as they stand, with the columns in the prompt', async () => {
  await using files = await repo({ 'data/tickets.csv': CSV });
  const text = await made(files.root);
  expect(text).toContain('jobs/ticket-labels.yaml\n');
  expect(await readFile(join(files.root, 'prompts/ticket-labels/user.hbs'), 'utf8')).toBe(
    'subject: {{subject}}\nfirst name: {{this.[first name]}}\njson: {{this.[json]}}\n',
  );
  let findings = '';
  const out = (more: string) => {
    findings += more;
  };
  expect(await runValidate({ root: files.root, json: false, color: false, out })).toBe(0);
  expect(findings).toBe('1 job file, no findings.\n');
});

test('nested columns are sent as JSON, and what no template can name is left out', async () => {
  await using files = await repo({ 'data/rows.jsonl': '{"id":"1","tags":["a"],"n":1.10,"a]b":1,"{{x":2}\n' });
  await made(files.root, { from: 'data/rows.jsonl', key: 'id' });
  const text = await readFile(join(files.root, 'prompts/ticket-labels/user.hbs'), 'utf8');
  expect(text).toContain('tags: {{json tags}}\nn: {{n}}\n');
  expect(text.match(/cannot stand here/g)).toHaveLength(2);
  expect(await runValidate({ root: files.root, json: false, color: false, out: () => {} })).toBe(0);
});

test('an absolute path is written as one from the root', async () => {
  await using files = await repo({ 'data/tickets.csv': CSV });
  await made(files.root, { from: join(files.root, 'data/tickets.csv') });
  expect(await readFile(join(files.root, 'jobs/ticket-labels.yaml'), 'utf8')).toContain(
    'files: data/tickets.csv',
  );
});

test('nothing is written over, and nothing is written beside what is there', async () => {
  await using files = await repo({ 'data/tickets.csv': CSV, 'prompts/ticket-labels/user.hbs': 'mine' });
  await expect(made(files.root)).rejects.toThrow(
    '`prompts/ticket-labels/user.hbs` is there already; nothing was written.',
  );
  await expect(access(join(files.root, 'jobs/ticket-labels.yaml'))).rejects.toThrow();
  expect(await readFile(join(files.root, 'prompts/ticket-labels/user.hbs'), 'utf8')).toBe('mine');
});

test.each([
  [{ name: 'Ticket Labels!' }, "`Ticket Labels!` cannot be a job's name"],
  [{ name: '../evil' }, "cannot be a job's name"],
  [{ key: 'tikcet_id' }, '`tikcet_id` is not a column of the file.'],
  [{ from: 'data/nothing.csv' }, 'nothing.csv'],
])('%j', async (changes, message) => {
  await using files = await repo({ 'data/tickets.csv': CSV });
  await expect(made(files.root, changes)).rejects.toThrow(message);
});
