import { type Finding, UserError } from '../errors.ts';
import { type Instant, instantOf } from '../ids.ts';
import { countText, plural } from '../spec/finding-text.ts';
import type { InputSpec, LoadedJob } from '../spec/job.ts';
import { loadRepository, type Repository } from '../spec/load.ts';
import { checkPromptColumns, compilePrompts } from '../spec/prompt.ts';
import { showable } from '../spec/text-lint.ts';
import { findingsText } from './findings.ts';

export interface ValidateOptions {
  readonly root: string;
  /** One versioned document instead of text. */
  readonly json: boolean;
  readonly color: boolean;
  readonly out: (text: string) => void;
  /** Decides whether a suspension is over; absent: the clock's. */
  readonly now?: Instant;
}

/**
 * Checks everything that git says, and every template against the columns of its input. Needs neither network nor
 * secrets. Exit code 1 where there is an error; warnings alone give 0.
 */
export async function runValidate(options: ValidateOptions): Promise<number> {
  const now = options.now ?? instantOf(Date.now());
  const repository = await loadRepository(options.root, { now });
  const findings = [...repository.findings];
  // One after the other: two hundred open DuckDBs would be two hundred times their memory.
  for (const loaded of repository.jobs) findings.push(...(await columnFindings(loaded, repository)));
  options.out(options.json ? documentOf(repository, findings) : textOf(repository, findings, options.color));
  return findings.some(({ level }) => level === 'error') ? 1 : 0;
}

/**
 * Columns from headers and first rows. Jobs with `sql` are left to `plan`, which runs the query. Data may be fetched
 * later than it is named: that it is absent is no more than a warning here.
 */
async function columnFindings(loaded: LoadedJob, repository: Repository): Promise<Finding[]> {
  const { job, prompts } = loaded;
  if (job.input.sql !== null) return [];
  try {
    const { columns, complete } = await columnsOf(job.input, repository);
    const unknown = checkPromptColumns(compilePrompts(prompts), columns);
    const keys = [...job.input.key, ...job.input.pass].filter((name) => !columns.includes(name));
    const found = [...unknown, ...keys.map((name) => unknownColumn(name, job.file, columns))];
    return complete ? found : found.map(doubtful);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.findings.map((finding) => ({ file: job.file, ...showable(finding), level: 'warning' }));
  }
}

async function columnsOf(input: InputSpec, { root, settings }: Repository) {
  const { sourceColumns } = await import('../manifest/source.ts');
  return sourceColumns(input, { root, allowedRoots: settings.policy.allowedRoots });
}

function unknownColumn(name: string, file: string, columns: readonly string[]): Finding {
  const message = `\`${name}\` is not a column of the input.`;
  const hint = `The columns are ${columns.join(', ')}.`;
  return { level: 'error', code: 'unknown-column', message, hint, file };
}

/** JSON rows say their columns one by one: a later row may have one that the first thousand lack. */
function doubtful(finding: Finding): Finding {
  const message = finding.message.replace(/\.$/, ', as far as its first 1,000 rows show.');
  return { ...finding, level: 'warning', message };
}

function textOf(repository: Repository, findings: readonly Finding[], color: boolean): string {
  const files = plural(repository.files, 'job file');
  if (findings.length === 0) return `${files}, no findings.\n`;
  const usable = `; ${repository.jobs.length} of ${files} can be used`;
  const hasErrors = findings.some(({ level }) => level === 'error');
  return `${findingsText(findings, { color, count: false })}\n${countText(findings)}${hasErrors ? usable : ''}.\n`;
}

/** A published contract: names are snake case, lines and columns count from 1. */
function documentOf(repository: Repository, findings: readonly Finding[]): string {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const document = {
    format: 'batchwright/validation/v1',
    ok: errors === 0,
    errors,
    warnings: findings.length - errors,
    files: repository.files,
    jobs: repository.jobs.map(({ job }) => ({ name: job.name, file: job.file })),
    findings,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
