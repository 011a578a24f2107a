import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What every contestant does: sort support tickets into three queues, with a reason. */
export const TASK = {
  model: 'gpt-5.4-mini',
  endpoint: '/v1/responses',
  maxOutputTokens: 120,
  system:
    'You sort support tickets. Choose the queue that can help, and say in one short sentence why. Answer with JSON.',
  user: 'Title: {{title}}\nCustomer since: {{since}}\n\n{{text}}',
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    required: ['reason', 'queue', 'urgent'],
    properties: {
      reason: { description: 'Why this queue.', type: 'string', maxLength: 200 },
      queue: { description: 'Who can help.', type: 'string', enum: ['billing', 'technical', 'account'] },
      urgent: { description: 'Whether it can wait until tomorrow.', type: 'boolean' },
    },
  },
} as const;

/** OpenAI's limit for one batch: where each contestant cuts its shards. */
export const SHARD_REQUESTS = 50_000;

/** The answer that the server gives to every request; it passes the schema. */
export const ANSWER = JSON.stringify({
  reason: 'The customer asks about a charge on the last invoice.',
  queue: 'billing',
  urgent: false,
});

/** The repository in which Batchwright does the task, under git as a real one is. `rowsFile` is linked into it. */
export function writeRepository(root: string, rowsFile: string, serverUrl: string): void {
  for (const [path, text] of Object.entries(repositoryFiles(serverUrl))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'data'), { recursive: true });
  linkSync(rowsFile, join(root, 'data/tickets.jsonl'));
  commit(root);
}

function repositoryFiles(serverUrl: string): Readonly<Record<string, string>> {
  return {
    '.gitignore': '/data/\n/out/\n/state/\n',
    'batchwright.yaml': `apiVersion: batchwright/v1
providers:
  openai: { kind: openai, base_url: "${serverUrl}", account: bench, emulator: true }
`,
    'jobs/tickets.yaml': `apiVersion: batchwright/v1
name: tickets
owner: bench
model: openai/${TASK.model}
input: { files: data/tickets.jsonl, key: id }
prompt: tickets
output: { schema: ticket.schema.json, max_tokens: ${TASK.maxOutputTokens} }
sinks: [ { kind: jsonl, path: out/tickets.jsonl } ]
`,
    'prompts/tickets/system.hbs': TASK.system,
    'prompts/tickets/user.hbs': TASK.user,
    'schemas/ticket.schema.json': `${JSON.stringify(TASK.schema, null, 2)}\n`,
  };
}

function commit(root: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Sort tickets');
}
