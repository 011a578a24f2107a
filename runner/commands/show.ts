import { stringify } from 'yaml';
import { UserError } from '../errors.ts';
import { type Instant, instantOf } from '../ids.ts';
import { loadRepository, type Repository } from '../spec/load.ts';
import { longForm } from '../spec/long-form.ts';
import { didYouMean, listed } from '../spec/suggest.ts';

export interface ShowOptions {
  readonly root: string;
  readonly job: string;
  readonly json: boolean;
  readonly out: (text: string) => void;
  readonly now?: Instant;
}

/**
 * Prints a job as a person would write it with every shorthand and default written out: a valid job file again.
 * @throws UserError where there is no such job, or where its file cannot be used
 */
export async function runShow(options: ShowOptions): Promise<number> {
  const now = options.now ?? instantOf(Date.now());
  const repository = await loadRepository(options.root, { now });
  const loaded = repository.jobs.find(({ job }) => job.name === options.job);
  if (loaded === undefined) throw unknown(options.job, repository);
  const { job, defines } = loaded;
  const written = longForm(job);
  const document = { format: 'batchwright/job/v1', file: job.file, job: written, defines };
  options.out(options.json ? `${JSON.stringify(document, null, 2)}\n` : yamlOf(written, job.file));
  return 0;
}

/** Long texts stay on one line: a folded SELECT reads as another one. */
function yamlOf(written: ReturnType<typeof longForm>, file: string): string {
  return `# ${file}, with every default\n${stringify(written, { lineWidth: 0 })}`;
}

function unknown(name: string, { jobs, findings }: Repository): UserError {
  const names = jobs.map(({ job }) => job.name);
  const list = names.length === 0 ? 'jobs/ holds none that can be used.' : `There are ${listed(names)}.`;
  const message = `There is no job \`${name}\` that can be used.`;
  const own = {
    level: 'error',
    code: 'unknown-job',
    message,
    hint: didYouMean(name, names) ?? list,
  } as const;
  // A job that is asked for and missing is most often one whose file is broken.
  return new UserError([...findings.filter(({ level }) => level === 'error'), own]);
}
