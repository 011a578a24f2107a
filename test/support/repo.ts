import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Paths from the root and what stands in them. */
export type RepoFiles = Readonly<Record<string, string | Uint8Array>>;

export interface Repo extends AsyncDisposable {
  readonly root: string;
  /** Writes further files, or others in their place. */
  readonly write: (files: RepoFiles) => Promise<void>;
}

/** A small real repository in a folder of its own; `await using` removes it. */
export async function repo(files: RepoFiles): Promise<Repo> {
  const root = await mkdtemp(join(tmpdir(), 'batchwright-repo-'));
  await writeFiles(root, files);
  return {
    root,
    write: (more) => writeFiles(root, more),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** The nine lines of a whole job. */
export const NINE_LINES = `# yaml-language-server: $schema=../schemas/batchwright/job.schema.json
apiVersion: batchwright/v1
name: ticket-labels
owner: support-platform
model: openai/gpt-5.4-mini
input: { files: data/tickets.csv, key: ticket_id }
prompt: ticket-labels                    # prompts/ticket-labels/system.hbs and user.hbs
output: { schema: ticket-label.schema.json, max_tokens: 60 }
budget: { per_run_usd: 40 }
`;

export const TICKET_SCHEMA = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "TicketLabel",
  "type": "object",
  "additionalProperties": false,
  "required": ["reason", "label"],
  "properties": {
    "reason": { "description": "Why.", "type": "string", "maxLength": 200 },
    "label": { "type": "string", "enum": ["billing", "technical", "account"] }
  }
}
`;

/** What the nine lines name: a repository in which they are valid. Each test changes one thing. */
export const TICKET_FILES: RepoFiles = {
  'jobs/ticket-labels.yaml': NINE_LINES,
  'prompts/ticket-labels/system.hbs': 'Choose billing, technical or account.\n',
  'prompts/ticket-labels/user.hbs': 'Subject: {{subject}}\n\n{{body}}\n',
  'schemas/ticket-label.schema.json': TICKET_SCHEMA,
  'data/tickets.csv': 'ticket_id,subject,body\nTK-1,Invoice,It is wrong.\nTK-2,Login,It fails.\n',
};

async function writeFiles(root: string, files: RepoFiles): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}
