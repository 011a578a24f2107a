import type { Finding } from '../errors.ts';
import type { Job } from './job.ts';
import type { Path, YamlFile } from './parse.ts';
import { pathNote, type Roots } from './paths.ts';
import type { Note } from './source-text.ts';

/** Folders that hold what git says, the runner itself or its state: no answers are written there. */
const TAKEN = ['jobs', 'prompts', 'schemas', 'runner', 'state', 'test', 'node_modules', '.github', '.git'];

/** What is wrong with the places that a job reads and writes. Whether a file is there is seen when rows are read. */
export async function jobPathFindings(job: Job, yaml: YamlFile, roots: Roots): Promise<Finding[]> {
  const inputs = job.input.files.map((path, index) => ({ path, at: ['input', 'files', index], own: null }));
  const sinks = job.sinks.map((sink, index) => ({
    path: sink.path,
    at: ['sinks', index, 'path'],
    own: sinkNote(sink.path, job),
  }));
  const noted = await Promise.all(
    [...inputs, ...sinks].map(
      async ({ path, at, own }): Promise<[Path, Note | null]> => [at, own ?? (await pathNote(path, roots))],
    ),
  );
  return noted.flatMap(([at, note]) => (note === null ? [] : [yaml.at(at, 'value', note)]));
}

function sinkNote(path: string, job: Job): Note | null {
  const plain = path.replace(/^(\.\/)+/, '');
  const [folder = ''] = plain.split('/');
  if (TAKEN.includes(folder)) {
    const message = `\`${path}\` lies under ${folder}/, which is not for answers.`;
    return { code: 'sink-in-the-way', message, hint: `Write \`out/${job.name}.parquet\`, for example.` };
  }
  if (/[*?[\]{}]/.test(path) || path.endsWith('/')) {
    return {
      code: 'wrong-path',
      message: `\`${path}\` is not the path of one file.`,
      hint: 'A sink is one file.',
    };
  }
  if (!job.input.files.includes(path)) return null;
  const message = `\`${path}\` is an input of the same job; answers would overwrite the rows.`;
  return { code: 'sink-is-input', message, hint: 'Write to another file.' };
}
