import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runInit } from '../../runner/commands/init.ts';
import { runPlan } from '../../runner/commands/plan.ts';
import { runRehearse } from '../../runner/commands/rehearse.ts';
import { runValidate } from '../../runner/commands/validate.ts';
import { testFolder } from '../support/folder.ts';
import { commitFiles, git, initRepository } from '../support/git.ts';
import { REPOSITORY } from '../support/package.ts';
import { printed } from '../support/reading.ts';

const WORKFLOW = '.github/workflows/batchwright-reconcile.yml';

async function init(folder: string, json = false): Promise<string> {
  const { text, code } = await printed(
    folder,
    ({ out }) => runInit({ folder, version: '1.2.3', json, out }),
    json,
  );
  expect(code).toBe(0);
  return text;
}

async function initJson(folder: string) {
  return JSON.parse(await init(folder, true)) as Record<'written' | 'same' | 'kept' | 'by_hand', string[]>;
}

const read = (root: string, path: string) => readFile(join(root, path), 'utf8');

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

describe('into an empty folder', () => {
  it('writes a repository that validates, plans and rehearses as it stands', {
    timeout: 180_000,
  }, async () => {
    const root = join(await testFolder(), 'new/one');
    const text = await init(root);
    expect(text).toContain('git init --initial-branch=main');
    expect(text).not.toContain('By hand');
    const validated = await printed(root, (common) => runValidate(common));
    expect(validated).toEqual({ code: 0, text: '1 job file, no findings.\n' });
    const planned = await printed(root, (common) =>
      runPlan({ ...common, jobs: [], detailedExitcode: true, err: () => {} }),
    );
    expect(planned.code).toBe(2);
    expect(planned.text).toContain('Plan: 1 new run, 0 blocked · 12 requests');
    const rehearsed = await printed(root, (common) =>
      runRehearse({ ...common, jobs: [], fresh: false, err: () => {} }),
    );
    expect(rehearsed.code).toBe(0);
    expect(rehearsed.text).toContain('1 job rehearsed, 12 answers applied');
  });

  it('pins the version in each workflow, and brings the script that they start first', async () => {
    const root = await testFolder();
    await init(root);
    const workflow = parse(await read(root, WORKFLOW)) as { env: unknown; on: { push: unknown } };
    expect(workflow.env).toEqual({ BATCHWRIGHT: 'batchwright@1.2.3' });
    expect(workflow.on.push).toMatchObject({ branches: ['main'] });
    expect(await read(root, '.github/batchwright/due.mjs')).toBe(await read(REPOSITORY, 'bin/due.mjs'));
  });

  it('says to editors which schema is whose, and brings the schemas', async () => {
    const root = await testFolder();
    await init(root);
    const settings = JSON.parse(await read(root, '.vscode/settings.json')) as Record<string, object>;
    for (const schema of Object.keys(settings['yaml.schemas'] ?? {})) {
      expect(await read(root, schema)).toBe(await read(REPOSITORY, schema));
    }
    expect(await read(root, 'batchwright.yaml')).toMatch(
      /^# yaml-language-server: \$schema=schemas\/batchwright\/settings/,
    );
    expect(await read(root, 'jobs/ticket-labels.yaml')).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/schemas\/batchwright\/job/,
    );
  });

  it('ignores what this repository ignores of its own state', async () => {
    const root = await testFolder();
    await init(root);
    const ignored = (await read(REPOSITORY, '.gitignore')).split('\n');
    const scaffolded = (await read(root, '.gitignore')).split('\n').filter((line) => line !== '');
    expect(ignored).toEqual(expect.arrayContaining(scaffolded));
    expect(scaffolded).toEqual(ignored.filter((line) => /^\/(state|out|rehearsal)\//.test(line)));
  });

  it('keeps what holds rows and answers out of commits', async () => {
    const root = await testFolder();
    await init(root);
    await git(root, 'init', '--quiet');
    const kept = [
      'state/a/tries/x.jsonl.zst',
      'state/a/runs/1/raw.zst',
      'state/journal/1.jsonl',
      'out/a.csv',
    ];
    expect((await git(root, 'check-ignore', ...kept)).trim().split('\n')).toEqual(kept);
  });

  it('writes nothing a second time', async () => {
    const root = await testFolder();
    const { written } = await initJson(root);
    expect(written.length).toBeGreaterThan(15);
    expect(await initJson(root)).toEqual({
      format: 'batchwright/init/v1',
      written: [],
      same: written,
      kept: [],
      by_hand: [],
    });
  });
});

describe('into a repository', () => {
  it('leaves what is there, and says what to add by hand', async () => {
    const root = await testFolder();
    const mine = {
      '.gitignore': 'node_modules/\n/out/\n',
      '.vscode/settings.json': '{"editor.tabSize": 4}\n',
      '.github/CODEOWNERS': '* @me\n',
      'prompts/ticket-labels/user.hbs': 'mine\n',
      'README.md': 'mine\n',
    };
    await write(root, mine);
    const text = await init(root);
    for (const [path, content] of Object.entries(mine)) expect(await read(root, path)).toBe(content);
    expect(text).toContain('4 left as they are');
    expect(text).toContain('.gitignore: add\n      /rehearsal/\n      /state/journal/');
    expect(text).not.toMatch(/^ +\/out\/$/m);
    expect(text).toContain('.github/CODEOWNERS: see whether you want these lines too:');
    expect(text).toContain('prompts/ticket-labels/user.hbs is another one');
  });

  it.each(['CODEOWNERS', 'docs/CODEOWNERS'])(
    'writes no owners beside %s: GitHub would read ours alone',
    async (path) => {
      const root = await testFolder();
      await write(root, { [path]: '* @me\n' });
      const { written, by_hand } = await initJson(root);
      expect(written).not.toContain('.github/CODEOWNERS');
      expect(by_hand.join('\n')).toContain(`${path}: see whether you want these lines too:`);
    },
  );

  it('gives no example to who has jobs', async () => {
    const root = await testFolder();
    await write(root, { 'jobs/mine.yaml': 'mine' });
    const { written } = await initJson(root);
    expect(written).toContain(WORKFLOW);
    expect(written.filter((path) => /ticket|^data|^prompts|^jobs/.test(path))).toEqual([]);
    expect(await init(root)).toContain('batchwright new NAME --from');
  });

  it('follows the branch and the remote of the repository', async () => {
    const root = await testFolder();
    await initRepository(root);
    await commitFiles(root, { 'README.md': 'mine' });
    await git(root, 'branch', '--quiet', '--move', 'main', 'master');
    await git(root, 'remote', 'add', 'origin', 'https://github.com/acme/jobs.git');
    const text = await init(root);
    expect(text).not.toContain('git init');
    expect(parse(await read(root, 'batchwright.yaml'))).toMatchObject({
      branch: 'master',
      store: { kind: 'git-ref' },
    });
    expect(parse(await read(root, WORKFLOW))).toMatchObject({ on: { push: { branches: ['master'] } } });
    expect((await printed(root, (common) => runValidate(common))).code).toBe(0);
  });

  it('takes the branch that the host names, where its name can stand in YAML', async () => {
    const root = await testFolder();
    await initRepository(root);
    await commitFiles(root, { 'README.md': 'mine' });
    await git(root, 'update-ref', 'refs/remotes/origin/release/2', 'HEAD');
    await git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/release/2');
    await init(root);
    expect(parse(await read(root, 'batchwright.yaml'))).toMatchObject({ branch: 'release/2' });
    const other = await testFolder();
    await initRepository(other);
    await commitFiles(other, { 'README.md': 'mine' });
    await git(other, 'update-ref', "refs/remotes/origin/it's", 'HEAD');
    await git(other, 'symbolic-ref', 'refs/remotes/origin/HEAD', "refs/remotes/origin/it's");
    await init(other);
    expect(parse(await read(other, 'batchwright.yaml'))).toMatchObject({ branch: 'main' });
  });

  it('says that workflows are read at the top alone', async () => {
    const top = await testFolder();
    await initRepository(top);
    await mkdir(join(top, 'team'));
    expect(await init(join(top, 'team'))).toContain('GitHub reads workflows only at');
  });

  it('refuses a file', async () => {
    const root = await testFolder();
    await write(root, { file: '' });
    await expect(init(join(root, 'file'))).rejects.toThrow('is a file');
    await expect(init(join(root, 'file/below'))).rejects.toThrow('cannot be a folder');
  });
});
