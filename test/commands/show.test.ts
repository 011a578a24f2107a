import { expect, test } from 'vitest';
import { runShow } from '../../runner/commands/show.ts';
import { runValidate } from '../../runner/commands/validate.ts';
import { UserError } from '../../runner/errors.ts';
import { NINE_LINES, repo, TICKET_FILES } from '../support/repo.ts';

async function shown(root: string, job: string, json = false): Promise<string> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  expect(await runShow({ root, job, json, out })).toBe(0);
  return text;
}

test('the long form, with every default, is a job file that says the same', async () => {
  await using files = await repo(TICKET_FILES);
  const text = await shown(files.root, 'ticket-labels');
  expect(text).toContain('canary:\n  items: 10\n  min_valid: 0.9\n  via: batch\n');
  expect(text).toContain('reasoning: null\n');
  await files.write({ 'jobs/ticket-labels.yaml': text });
  expect(await runValidate({ root: files.root, json: false, color: false, out: () => {} })).toBe(0);
  expect(await shown(files.root, 'ticket-labels')).toBe(text);
});

test('a SELECT stays on its line', async () => {
  const sql = `SELECT * FROM input WHERE lang = 'de' AND ${'x'.repeat(100)} = 1`;
  const job = NINE_LINES.replace('key: ticket_id', `key: ticket_id, sql: "${sql}"`);
  await using files = await repo({ ...TICKET_FILES, 'jobs/ticket-labels.yaml': job });
  expect(await shown(files.root, 'ticket-labels')).toContain(`sql: ${sql}\n`);
});

test('--json has the digests of what defines a run', async () => {
  await using files = await repo(TICKET_FILES);
  const document = JSON.parse(await shown(files.root, 'ticket-labels', true));
  expect(document).toMatchObject({ format: 'batchwright/job/v1', file: 'jobs/ticket-labels.yaml' });
  expect(Object.keys(document.defines)).toEqual(['model', 'prompt', 'schema', 'input', 'output']);
});

test('a job that is not there: the nearest name, and what is broken', async () => {
  await using files = await repo({ ...TICKET_FILES, 'jobs/b.yaml': 'name: b\n' });
  const error = await runShow({ root: files.root, job: 'ticket-label', json: false, out: () => {} }).catch(
    (each) => each,
  );
  expect(error).toBeInstanceOf(UserError);
  const codes = (error as UserError).findings.map(({ code }) => code);
  expect(codes.at(-1)).toBe('unknown-job');
  expect(codes).toContain('missing-field');
  expect((error as UserError).findings.at(-1)?.hint).toBe('Did you mean `ticket-labels`?');
});
