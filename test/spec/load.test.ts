import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { instant } from '../../runner/ids.ts';
import { loadRepository } from '../../runner/spec/load.ts';
import { NINE_LINES, type RepoFiles, repo, TICKET_FILES } from '../support/repo.ts';

const NOW = instant('2026-11-30T09:00:00Z');
const JOB = 'jobs/ticket-labels.yaml';
const USER = 'prompts/ticket-labels/user.hbs';
const SYSTEM = 'prompts/ticket-labels/system.hbs';
const SCHEMA = 'schemas/ticket-label.schema.json';

async function loaded(changes: RepoFiles = {}) {
  await using files = await repo({ ...TICKET_FILES, ...changes });
  return await loadRepository(files.root, { now: NOW });
}

const codes = ({ findings }: Awaited<ReturnType<typeof loaded>>) =>
  findings.map(({ file, code }) => `${file} ${code}`);

const replaced = (text: string, from: string, to: string) => {
  expect(text).toContain(from);
  return text.replace(from, to);
};
const ticket = (path: string) => String(TICKET_FILES[path]);

test('a good repository, with everything its job names', async () => {
  const { jobs, findings, brokenFiles, settings } = await loaded();
  expect([findings, brokenFiles]).toEqual([[], []]);
  const [only] = jobs;
  expect(only?.job.name).toBe('ticket-labels');
  expect(only?.prompts.user).toMatchObject({ path: USER, text: ticket(USER) });
  expect(only?.prompts.system?.path).toBe(SYSTEM);
  expect(only?.schema?.file.path).toBe(SCHEMA);
  expect(only?.schema?.sent.$schema).toBeUndefined();
  expect(settings.providers.openai?.apiKeyEnv).toBe('OPENAI_API_KEY');
});

test('an empty folder is a repository without jobs; what is no folder is none', async () => {
  await using files = await repo({ 'README.md': 'x' });
  expect(await loadRepository(files.root, { now: NOW })).toMatchObject({ jobs: [], findings: [], files: 0 });
  await expect(loadRepository(join(files.root, 'README.md'), { now: NOW })).rejects.toThrow(
    'is not a folder',
  );
  const policyRoot = join(files.root, 'none');
  const attempt = loadRepository(files.root, { now: NOW, policyRoot });
  await expect(attempt).rejects.toMatchObject({ findings: [{ hint: expect.stringContaining('--policy') }] });
});

describe('findings of prompts and schemas', () => {
  const CASES: readonly (readonly [name: string, changes: RepoFiles, found: readonly string[]])[] = [
    ['a broken template', { [USER]: '{{#if subject}}' }, [`${USER} template`]],
    ['a template without columns', { [USER]: 'Say something.' }, [`${JOB} constant-prompt`]],
    [
      'a column that must not be sent',
      { [USER]: '{{Email}}', 'batchwright.yaml': 'policy: { never_send: [email] }' },
      [`${USER} never-send`],
    ],
    ['a secret in a prompt', { [SYSTEM]: `Use AKIA${'A'.repeat(16)}.` }, [`${SYSTEM} secret`]],
    [
      'a hidden character in a prompt',
      { [SYSTEM]: 'Be \u202Eevil\u202C.' },
      [`${SYSTEM} hidden-character`, `${SYSTEM} hidden-character`],
    ],
    ['a schema that is not JSON', { [SCHEMA]: '{' }, [`${SCHEMA} not-json`]],
    ['a schema that is not strict', { [SCHEMA]: '{"type":"object"}' }, [`${SCHEMA} schema-not-strict`]],
    [
      'a prompt of the same file for two jobs, once',
      { [USER]: '{{upper subject}}', 'jobs/b.yaml': replaced(NINE_LINES, 'name: ticket-labels', 'name: b') },
      [`${USER} unknown-helper`],
    ],
  ];

  test.each(CASES)('%s', async (_name, changes, found) => {
    const repository = await loaded(changes);
    expect(codes(repository)).toEqual(found);
    const broken = repository.findings.some(({ level }) => level === 'error');
    expect(repository.jobs.length === 0).toBe(broken);
    expect(repository.brokenFiles.length > 0).toBe(broken);
  });

  test('a broken file says where and what, also where a file that it names is broken', async () => {
    const { brokenFiles } = await loaded({
      [USER]: 'x\n{{#if subject}}',
      'jobs/b.yaml': 'modle: x\nname: b\n',
    });
    expect(brokenFiles).toEqual([
      { file: 'jobs/b.yaml', message: expect.stringMatching(/^line 1: .* \(and 5 more\)$/) },
      { file: JOB, message: `${USER}:2: The block \`if\` is never closed.` },
    ]);
  });

  test('everything is told at once: a field, a prompt, a schema and a rule', async () => {
    const { findings } = await loaded({
      [JOB]: `${NINE_LINES}modle: x\nsla: { deadline: 1h }\n`,
      [USER]: '{{#if subject}}',
      [SCHEMA]: '{',
    });
    expect(findings.map(({ code }) => code).sort()).toEqual([
      'deadline-short',
      'not-json',
      'template',
      'unknown-field',
    ]);
  });
});

describe('between jobs', () => {
  const named = (name: string, more = '') =>
    `${replaced(NINE_LINES, 'name: ticket-labels', `name: ${name}`)}${more}`;

  test('one name in two files: both are told, neither is taken', async () => {
    const repository = await loaded({ 'jobs/other.yaml': NINE_LINES });
    expect(codes(repository)).toEqual(['jobs/other.yaml name-twice', `${JOB} name-twice`]);
    expect(repository.jobs).toEqual([]);
  });

  test('one sink for two jobs, however it is written', async () => {
    const repository = await loaded({
      'jobs/b.yaml': named('b', 'sinks: [{ kind: parquet, path: ./out//Ticket-Labels.parquet }]\n'),
    });
    expect(codes(repository)).toEqual(['jobs/b.yaml sink-twice', `${JOB} sink-twice`]);
  });

  test('a job that moved from one that is still there', async () => {
    const repository = await loaded({ 'jobs/b.yaml': named('b', 'moved_from: ticket-labels\n') });
    expect(codes(repository)).toEqual(['jobs/b.yaml moved-from-present']);
    expect(repository.jobs.map(({ job }) => job.name)).toEqual(['ticket-labels']);
  });

  test('a broken job does not take the others with it', async () => {
    const repository = await loaded({ 'jobs/b.yaml': 'name: [', 'jobs/c.yaml': named('c') });
    expect(repository.jobs.map(({ job }) => job.name)).toEqual(['c', 'ticket-labels']);
    expect(repository.brokenFiles.map(({ file }) => file)).toEqual(['jobs/b.yaml']);
  });

  test('jobs come by name, whatever the folders', async () => {
    const repository = await loaded({
      'jobs/z/a.yaml': named('a'),
      'jobs/.hidden.yaml': 'x',
      'jobs/README.md': 'x',
    });
    expect(repository.jobs.map(({ job }) => job.name)).toEqual(['a', 'ticket-labels']);
    expect(repository.files).toBe(2);
  });

  test('a file that would be overlooked is an error, since its job would look deleted', async () => {
    const repository = await loaded({ 'jobs/b.yml': named('b') });
    expect(codes(repository)).toEqual(['jobs/b.yml misnamed-file']);
    expect(repository.brokenFiles).toHaveLength(1);
  });

  test('the name of a folder of ours', async () => {
    expect(codes(await loaded({ [JOB]: named('journal') }))).toEqual([`${JOB} name-taken`]);
  });
});

describe('settings', () => {
  test('settings that cannot be read leave no job to be sent, but every finding', async () => {
    const repository = await loaded({
      'batchwright.yaml': 'budgets: { per_run: 3 }\n',
      [USER]: '{{#if subject}}',
    });
    expect(codes(repository)).toEqual(['batchwright.yaml unknown-field', `${USER} template`]);
    expect(repository.jobs).toEqual([]);
  });

  test.each(['', '# later\n'])('an empty file is no settings: %j', async (text) => {
    expect(codes(await loaded({ 'batchwright.yaml': text }))).toEqual([]);
  });

  test('a key in place of the name of a variable is refused and blotted out', async () => {
    const key = `sk-${'a1'.repeat(20)}`;
    const { findings } = await loaded({
      'batchwright.yaml': `providers: { openai: { kind: openai, api_key_env: "${key}" } }\n`,
    });
    expect(findings.map(({ code }) => code)).toEqual(['wrong-form', 'secret']);
    expect(JSON.stringify(findings)).not.toContain(key);
  });

  test.each([
    ['providers: { a: { kind: openai, api_key: x } }', 'Keys never stand in a file.'],
    ['store: { kind: s3 }', 'The store `s3` is not built yet.'],
    ['store: { remote: upstream }', '`remote` means nothing to a store of kind `local`.'],
    ['models: { gpt: {} }', '`gpt` cannot stand here.'],
    ['policy: { allowed_roots: [data] }', '`data` cannot stand here.'],
  ])('%s', async (text, message) => {
    const { findings } = await loaded({ 'batchwright.yaml': `${text}\n` });
    expect(findings.map((finding) => finding.message)).toEqual([message]);
  });
});

describe('links', () => {
  test('a prompt that is a link out of the repository is not read', async () => {
    await using outside = await repo({ 'secret.hbs': '{{subject}}' });
    await using files = await repo(TICKET_FILES);
    await symlink(join(outside.root, 'secret.hbs'), join(files.root, 'prompts/out.hbs'));
    await files.write({ [JOB]: replaced(NINE_LINES, 'prompt: ticket-labels', 'prompt: { user: out.hbs }') });
    const repository = await loadRepository(files.root, { now: NOW });
    expect(codes(repository)).toEqual([`${JOB} outside-repository`]);
  });

  test('a job that is a link out of the repository, or to nothing, is not read', async () => {
    await using outside = await repo({ 'job.yaml': NINE_LINES });
    await using files = await repo({ 'data/a.csv': '', 'jobs/README.md': '' });
    await symlink(join(outside.root, 'job.yaml'), join(files.root, 'jobs/out.yaml'));
    await symlink(join(files.root, 'nothing.yaml'), join(files.root, 'jobs/nothing.yaml'));
    const repository = await loadRepository(files.root, { now: NOW });
    expect(codes(repository)).toEqual(['jobs/nothing.yaml missing-file', 'jobs/out.yaml outside-repository']);
  });
});
