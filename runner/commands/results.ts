import { mkdir, readFile, rm } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { userError } from '../errors.ts';
import { currentRun } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import { answersSelect } from '../ledger/answers.ts';
import { linesOfFile } from '../lines.ts';
import { readRecipeInForce } from '../reconcile/checks.ts';
import type { PassContext } from '../reconcile/context.ts';
import { answerForm } from '../reconcile/recipe.ts';
import type { SinkProof } from '../sink/port.ts';
import type { SinkSpec } from '../spec/job.ts';
import { type Common, EXIT } from './common.ts';
import { noRun } from './no-run.ts';
import { unknownJob, withContext } from './session.ts';
import { tableText } from './table.ts';

export interface ResultsOptions extends Common {
  readonly job: string;
  /** `table`, `jsonl` or `csv`. */
  readonly format: string;
  readonly limit: string | null;
  /** Its ending says the format. */
  readonly output: string | null;
}

/** The accepted answers of a job's newest run: some on the terminal, or all in a file. Made from state, not from a sink. */
export async function runResults(options: ResultsOptions): Promise<number> {
  const limit = limitOf(options.limit);
  const kind = options.json ? 'json' : kindOf(options.format);
  return withContext(options, async (ctx) => {
    const run = currentRun(ctx.journal.state, options.job as RunState['job']);
    if (run === undefined && !ctx.repository.jobs.some((each) => each.job.name === options.job))
      throw unknownJob(options.job, ctx.repository);
    if (run === undefined) throw noRun(options.job, options);
    if (options.output !== null) return writeFile(ctx, run, limit, options.output, options);
    const most = limit ?? (kind === 'table' ? TABLE_ROWS : null);
    options.out(await printed(ctx, run, kind, most));
    return EXIT.ok;
  });
}

type Kind = 'table' | 'jsonl' | 'csv' | 'json';

function kindOf(format: string): Kind {
  if (format === 'table' || format === 'jsonl' || format === 'csv') return format;
  throw userError('bad-format', `--format takes table, jsonl or csv, not ${JSON.stringify(format)}`);
}

/** A table of everything would drown the terminal, and what it shows is cut anyway. */
const TABLE_ROWS = 20;

function limitOf(text: string | null): number | null {
  if (text === null) return null;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw userError('bad-limit', `--limit takes a whole number above 0, not ${JSON.stringify(text)}`);
}

async function printed(ctx: PassContext, run: RunState, kind: Kind, limit: number | null): Promise<string> {
  const work = join(ctx.work, 'results');
  const path = join(work, 'answers');
  await mkdir(work, { recursive: true });
  try {
    await fill(ctx, run, kind === 'csv' ? 'csv' : 'jsonl', path, limit);
    return kind === 'csv' ? await readFile(path, 'utf8') : textOf(path, kind);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function textOf(path: string, kind: Exclude<Kind, 'csv'>): string {
  const lines: string[] = [];
  for (const line of linesOfFile(path)) lines.push(line.bytes.toString('utf8'));
  if (kind === 'jsonl') return lines.map((line) => `${line}\n`).join('');
  // The lines as they are: parsed and written again, a large number would lose digits.
  if (kind === 'json') return `{"format":"batchwright/results/v1","rows":[${lines.join(',')}]}\n`;
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const columns = Object.keys(rows[0] ?? {}).filter(
    (column) => column !== '_custom_id' && column !== '_hash',
  );
  return tableText(columns, rows);
}

async function writeFile(
  ctx: PassContext,
  run: RunState,
  limit: number | null,
  output: string,
  { root, json, out }: ResultsOptions,
): Promise<number> {
  const ending = extname(output).slice(1);
  if (ending !== 'parquet' && ending !== 'jsonl' && ending !== 'csv') {
    throw userError(
      'bad-format',
      `the file's ending says the format: .parquet, .jsonl or .csv, not ${JSON.stringify(ending)}`,
    );
  }
  const { rows, digest } = await fill(ctx, run, ending, resolve(root, output), limit);
  const document = { format: 'batchwright/results-file/v1', path: output, rows, digest };
  out(json ? `${JSON.stringify(document)}\n` : `${rows} ${rows === 1 ? 'row' : 'rows'} to ${output}\n`);
  return EXIT.ok;
}

async function fill(
  ctx: PassContext,
  run: RunState,
  kind: SinkSpec['kind'],
  path: string,
  limit: number | null,
): Promise<SinkProof> {
  const job = ctx.repository.jobs.find((each) => each.job.name === run.job)?.job ?? run.spec;
  const ledger = await ctx.ledgers.of(run.job, job, ctx.journal.state);
  if (ledger === null) throw userError('no-run', `job ${run.job} has no run yet`);
  const recipe = await readRecipeInForce(ctx, run);
  await ledger.prove();
  const { SINK_KINDS } = await import('../sink/kinds.ts');
  const { key } = run.spec.input;
  const { pass } = job.input;
  const all = answersSelect({ run: run.run, key, pass, keepFrom: [] });
  return SINK_KINDS[kind](path).write({
    duck: ledger.duck,
    relation: limit === null ? all : `SELECT * FROM (${all}) ORDER BY ordinal LIMIT ${limit}`,
    key,
    pass,
    ...answerForm(run, recipe),
  });
}
