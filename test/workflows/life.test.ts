import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { commitFiles, git } from '../support/git.ts';
import { type Asked, type Loopback, startLoopback } from '../support/loopback.ts';
import { TOKEN, type WorkflowHost } from '../support/workflow-host.ts';
import { charged, initialised, pass, passUntil, SLOW, status } from '../support/workflow-life.ts';

const PLAN = '.github/workflows/batchwright-plan.yml';
const SHORT_LIVED = 'a-key-for-an-hour';

/** The host's API for comments: one list, as the bot sees it. */
async function commentApi(): Promise<Loopback & { readonly comments: { id: number; body: string }[] }> {
  const comments: { id: number; body: string; url: string; user: { login: string } }[] = [
    // Somebody else's, with our mark: it is not ours to edit.
    { id: 1, body: '<!-- batchwright plan -->\nhello', url: '', user: { login: 'mallory' } },
  ];
  const api = await startLoopback((asked: Asked, response) => {
    const { body } = asked.body === '' ? { body: '' } : (JSON.parse(asked.body) as { body: string });
    const mine = comments.find(({ url }) => url !== '' && url.endsWith(asked.path));
    if (asked.method === 'POST') {
      const id = comments.length + 1;
      const url = `${api.url}/repos/acme/jobs/issues/comments/${id}`;
      comments.push({ id, body, url, user: { login: 'github-actions[bot]' } });
    } else if (asked.method === 'PATCH' && mine !== undefined) mine.body = body;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(comments));
  });
  onTestFinished(() => api[Symbol.asyncDispose]());
  return Object.assign(api, { comments });
}

/** The two jobs of a pull request. Gives what the page of the run shows. */
async function pullRequest(host: WorkflowHost, head: string, api: Loopback, from = 'acme/jobs') {
  const pull = { number: 7, head: { sha: head, repo: { full_name: from } } };
  const github = {
    ref: 'refs/pull/7/merge',
    base_ref: 'main',
    event_name: 'pull_request',
    event: { pull_request: pull },
    api_url: api.url,
  };
  const planned = await host.run(PLAN, 'plan', { github, secrets: {} });
  const needs = { plan: { result: planned?.failed ? 'failure' : 'success' } };
  const commented = await host.run(PLAN, 'comment', { github, needs, secrets: {} });
  for (const ran of [planned, commented]) {
    expect(ran?.log ?? '').not.toContain(TOKEN);
    expect(ran?.log ?? '').not.toContain(Buffer.from(`x-access-token:${TOKEN}`).toString('base64'));
  }
  expect(commented?.failed ?? false, commented?.log).toBe(false);
  return { planned, commented };
}

it('a new user: init, a pull request with its plan, a merge, passes, the report, an edit', SLOW, async () => {
  const host = await initialised();
  const api = await commentApi();
  // The example comes in a pull request of its own.
  await git(host.laptop, 'add', '--all');
  await git(host.laptop, 'reset', '--quiet', '--', 'jobs');
  await git(
    host.laptop,
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.org',
    'commit',
    '--quiet',
    '-m',
    'init',
  );
  await git(host.laptop, 'push', '--quiet', 'origin', 'HEAD:refs/heads/main');

  const proposed = await host.push('labels');
  const { planned } = await pullRequest(host, proposed, api);
  expect(planned?.failed, planned?.log).toBe(false);
  expect(planned?.summary).toContain('Plan: 1 new run, 0 blocked · 12 requests');
  expect(api.comments).toHaveLength(2);
  expect(api.comments[1]?.body).toBe(planned?.summary);
  expect(await charged(host), 'a plan sends nothing').toBe(0);

  await host.push('main');
  await passUntil(host, 'complete');
  expect(await charged(host)).toBe(12);
  const subjects = await host.git('log', '--format=%s', 'main');
  expect(subjects).toMatch(/^batchwright: ticket-labels complete, 12 applied/);
  expect(await host.git('show', 'main:state/ticket-labels/README.md')).toContain('complete, books balance');

  // The next tick deletes the answers at the provider, and then there is nothing to do.
  const schedule = { github: { event_name: 'schedule' }, inputs: { only_if_due: true } };
  expect((await pass(host, schedule))?.log).toContain('work is under way');
  expect(await host.git('log', '-1', '--format=%s', 'main')).toMatch(
    /^batchwright: up to date: ticket-labels/,
  );

  const installs = (await host.installs()).length;
  const tick = await pass(host, schedule);
  expect(tick?.steps.at(-1)).toBe('Is a pass due?');
  expect(tick?.log).toContain('No pass is due: every job is as git asks for.');
  expect(await host.installs(), 'nothing is installed for it').toHaveLength(installs);

  await git(host.laptop, 'fetch', '--quiet', 'origin', 'main');
  await git(host.laptop, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  const rows = join(host.laptop, 'data/tickets.csv');
  await writeFile(rows, `${await readFile(rows, 'utf8')}T-013,Late,My parcel is late.\n`);
  await pullRequest(host, await host.push('one-more'), api);
  expect(api.comments, 'one comment, edited in place').toHaveLength(2);
  expect(api.comments[1]?.body).toContain('Plan: 1 new run, 0 blocked · 1 request, 12 reused');
  await git(host.laptop, 'reset', '--quiet', '--hard', 'HEAD~1');
  await pullRequest(
    host,
    await commitAndPush(host, 'prompt', { 'prompts/ticket-labels/user.hbs': '{{body}}\n' }),
    api,
  );
  expect(api.comments[1]?.body).toContain('Plan: 1 new run, 0 blocked · 12 requests, 0 reused');
  expect(api.comments[1]?.body).toContain('prompt');
});

async function commitAndPush(
  host: WorkflowHost,
  branch: string,
  files: Record<string, string>,
): Promise<string> {
  await commitFiles(host.laptop, files);
  return host.push(branch);
}

it(
  'a pull request from a fork gets no comment, one with mistakes gets them, one without changes gets none',
  SLOW,
  async () => {
    const host = await initialised();
    const api = await commentApi();
    const main = await host.push('main');
    await passUntil(host, 'canary');
    await pullRequest(host, await host.push('docs', { 'README.md': 'No job is touched.\n' }), api);
    expect(api.comments, 'a comment about nothing').toHaveLength(1);
    const fork = await pullRequest(host, main, api, 'mallory/jobs');
    expect(fork.commented).toBeNull();
    expect(fork.planned?.summary).toContain('### Plan:');
    const broken = await host.push('broken', {
      'jobs/broken.yaml': 'apiVersion: batchwright/v1\nmodle: x\n',
    });
    const { planned } = await pullRequest(host, broken, api);
    expect(planned?.failed).toBe(true);
    expect(planned?.log).toContain('1 error');
    expect(api.comments[1]?.body).toContain('jobs/broken.yaml:2:1 error[unknown-field]');
  },
);

it('an old run that is started again works on the branch as it is now', SLOW, async () => {
  const host = await initialised();
  await host.push('main');
  const ran = await pass(host, { github: { event: { after: '0'.repeat(40) } } });
  expect(await git(ran?.workspace ?? '', 'rev-parse', 'HEAD')).toBe(await host.git('rev-parse', 'main'));
});

it(
  'a provider that trusts this repository is given the identity of the run in place of a key',
  SLOW,
  async () => {
    const host = await initialised();
    await host.push('main');
    const issuer = await startLoopback(({ path }, response) => {
      const isIdentity = path.endsWith('/identity');
      response.end(
        JSON.stringify(isIdentity ? { value: 'a-signed-identity' } : { access_token: SHORT_LIVED }),
      );
    });
    onTestFinished(() => issuer[Symbol.asyncDispose]());
    const ran = await pass(host, {
      github: {},
      secrets: {},
      vars: { OPENAI_IDENTITY_PROVIDER_ID: 'idp_1', OPENAI_SERVICE_ACCOUNT_ID: 'sa_1' },
      outside: {
        ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/identity?api-version=2`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-this-run',
        TOKEN_URL: `${issuer.url}/oauth/token`,
      },
    });
    const [identity, token] = issuer.asked;
    expect(identity?.headers.authorization).toBe('bearer of-this-run');
    expect(identity?.query.get('audience')).toBe('https://api.openai.com/v1');
    expect(token?.path).toBe('/v1/oauth/token');
    expect(JSON.parse(token?.body ?? '')).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: 'a-signed-identity',
      identity_provider_id: 'idp_1',
      service_account_id: 'sa_1',
    });
    expect(ran?.env.OPENAI_API_KEY).toBe(SHORT_LIVED);
    expect(ran?.log).not.toContain(SHORT_LIVED);
    expect(ran?.log).toContain('::add-mask::***');
    expect((await status(host)).phase).toBe('canary');
  },
);
