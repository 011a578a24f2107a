import { expect, test } from 'vitest';
import { runValidate } from '../../runner/commands/validate.ts';
import { instant } from '../../runner/ids.ts';
import { NINE_LINES, type RepoFiles, repo, TICKET_FILES } from '../support/repo.ts';

async function validated(changes: RepoFiles, json = false) {
  await using files = await repo({ ...TICKET_FILES, ...changes });
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  const code = await runValidate({
    root: files.root,
    json,
    color: false,
    out,
    now: instant('2026-11-30T09:00:00Z'),
  });
  return { code, text };
}

test('a good repository', async () => {
  expect(await validated({})).toEqual({ code: 0, text: '1 job file, no findings.\n' });
});

test('an error: the finding, how many, what can still be used, exit code 1', async () => {
  const { code, text } = await validated({
    'jobs/b.yaml': `${NINE_LINES}modle: x\n`.replace('name: t', 'name: b'),
  });
  expect(code).toBe(1);
  expect(text).toBe(`jobs/b.yaml:10:1 error[unknown-field] \`modle\` is not a field of a job.
 10 | modle: x
    | ^^^^^ Did you mean \`model\`?

1 error; 1 of 2 job files can be used.
`);
});

test('a warning alone is exit code 0', async () => {
  const { code, text } = await validated({
    'jobs/ticket-labels.yaml': `${NINE_LINES}sla: { deadline: 2h }\n`,
  });
  expect(code).toBe(0);
  expect(text).toContain('warning[deadline-short]');
  expect(text).toMatch(/\n1 warning\.\n$/);
});

test('B018: templates are held against the columns of the data', async () => {
  const { code, text } = await validated({ 'prompts/ticket-labels/user.hbs': '{{subject}} {{boody}}\n' });
  expect(code).toBe(1);
  expect(text).toContain('user.hbs:1:15 error[unknown-column] `boody` is not a column of the input.');
  expect(text).toContain('Did you mean `body`?');
});

test('key and passed columns too', async () => {
  const job = NINE_LINES.replace('key: ticket_id', 'key: tikcet_id, pass: lang');
  const { code, text } = await validated({ 'jobs/ticket-labels.yaml': job });
  expect(code).toBe(1);
  expect(text).toContain('`tikcet_id` is not a column of the input.');
  expect(text).toContain('`lang` is not a column of the input.');
});

test('rows of JSON may have further columns than the first of them: a warning', async () => {
  const { code, text } = await validated({
    'jobs/ticket-labels.yaml': NINE_LINES.replace('tickets.csv', 'tickets.jsonl'),
    'data/tickets.jsonl': '{"ticket_id":"a","subject":"x"}\n',
  });
  expect(code).toBe(0);
  expect(text).toContain('warning[unknown-column] `body` is not a column of the input, as far as');
});

test('data that is not there yet is a warning', async () => {
  const job = NINE_LINES.replace('tickets.csv', 'later.csv');
  const { code, text } = await validated({ 'jobs/ticket-labels.yaml': job });
  expect(code).toBe(0);
  expect(text).toContain('jobs/ticket-labels.yaml warning[input-not-found]');
});

test('--json is one versioned document', async () => {
  const { code, text } = await validated({ 'jobs/b.yaml': 'name: b\n' }, true);
  expect(code).toBe(1);
  const document = JSON.parse(text);
  expect(document).toMatchObject({
    format: 'batchwright/validation/v1',
    ok: false,
    errors: 6,
    warnings: 0,
    files: 2,
    jobs: [{ name: 'ticket-labels', file: 'jobs/ticket-labels.yaml' }],
  });
  expect(document.findings[0]).toMatchObject({
    level: 'error',
    code: 'missing-field',
    file: 'jobs/b.yaml',
    line: 1,
  });
});
