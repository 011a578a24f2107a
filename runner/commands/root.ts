import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What a repository of jobs has at its top. */
const MARKS = ['batchwright.yaml', 'jobs'];

/**
 * The repository that `from` lies in: the nearest folder upwards with settings or a folder of jobs, as git looks for
 * its own. `from` itself where there is none.
 */
export function findRoot(from: string): string {
  const start = resolve(from);
  for (let folder = start; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => existsSync(join(folder, mark)))) return folder;
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return start;
  }
}
