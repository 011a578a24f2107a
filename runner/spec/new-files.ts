import { stringify } from 'yaml';
import type { JobName } from '../ids.ts';

/** What a new job is made from. */
export interface NewJob {
  readonly name: JobName;
  /** The data, from the root. */
  readonly from: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** A few rows: they show which columns hold lists and objects. */
  readonly sample: readonly Readonly<Record<string, unknown>>[];
}

/** The files of a job to begin with, by path: valid as they stand, and meant to be edited. Pure. */
export function newFiles(job: NewJob): Readonly<Record<string, string>> {
  const { name } = job;
  return {
    [`jobs/${name}.yaml`]: jobText(job),
    [`prompts/${name}/system.hbs`]: SYSTEM,
    [`prompts/${name}/user.hbs`]: userText(job),
    [`schemas/${name}.schema.json`]: `${JSON.stringify(SCHEMA, null, 2)}\n`,
  };
}

function jobText({ name, from, key }: NewJob): string {
  const input = stringify({ files: from, key }, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return `# yaml-language-server: $schema=../schemas/batchwright/job.schema.json
apiVersion: batchwright/v1
name: ${name}
owner: your-team                         # who answers for it, and whose budget it uses
model: openai/gpt-5.4-mini
input: ${input}
prompt: ${name}${' '.repeat(Math.max(1, 33 - name.length))}# prompts/${name}/system.hbs and user.hbs
output: { schema: ${name}.schema.json, max_tokens: 200 }
budget: { per_run_usd: 5 }
`;
}

const SYSTEM = `You review one record at a time.

Choose the label that fits best, and give the reason in one sentence of at most 200 characters.
`;

function userText({ columns, key, sample }: NewJob): string {
  const shown = columns.filter((name) => name !== key);
  const lines = (shown.length === 0 ? [key] : shown).map((name) => line(name, sample));
  return `${lines.join('\n')}\n`;
}

/** A name with \`]\` cannot be written in a template at all. */
function line(name: string, sample: NewJob['sample']): string {
  if (name === '' || /[\]{}\r\n]/.test(name)) {
    return '{{! One column has a name that cannot stand here: rename it with input.sql. }}';
  }
  const path = PLAIN_NAME.test(name) && !RESERVED.has(name) ? name : `this.[${name}]`;
  const isNested = sample.some((row) => Object.hasOwn(row, name) && isPlain(row[name]));
  return `${name}: ${isNested ? `{{json ${path}}}` : `{{${path}}}`}`;
}

/** What Handlebars reads as one name. Others stand in brackets. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Names that mean something else in a template. */
const RESERVED: ReadonlySet<string> = new Set([
  'if',
  'unless',
  'each',
  'with',
  'json',
  'else',
  'this',
  'as',
  'true',
  'false',
  'null',
  'undefined',
]);

/** A list or a mapping; numbers that keep their text are objects too, of a class. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  description: 'What the model says of one record.',
  type: 'object',
  additionalProperties: false,
  required: ['reason', 'label'],
  properties: {
    reason: { description: 'Why, in at most 200 characters.', type: 'string', maxLength: 200 },
    label: { description: 'The label that fits best.', type: 'string', enum: ['yes', 'no', 'unclear'] },
  },
};
