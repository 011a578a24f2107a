import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';

const CLI = join(import.meta.dirname, '../../runner/cli.ts');
const PRELOADED = pathToFileURL(join(import.meta.dirname, 'mortal-process.ts')).href;

/** How a real process ended, and what it wrote. */
export interface Ended {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a real `batchwright` that may write no file longer than so many KB: the nearest to a full disk that a test can have
 * without rights, and the only one that DuckDB's own writes meet too. Null: as long as they will.
 * @param now what its clock says when it begins (milliseconds since 1970)
 * @param output what the shell does with what it prints, in `root`
 */
export async function runLimited(
  root: string,
  args: readonly string[],
  limitKb: number | null,
  now: number = Date.now(),
  output = '',
): Promise<Ended> {
  const limit = limitKb === null ? 'unlimited' : String(limitKb);
  const node = [process.execPath, '--import', PRELOADED, CLI, ...args, '--root', root];
  const { exitCode, signal, stdout, stderr } = await execa(
    'bash',
    ['-c', `ulimit -f "$1"; shift; "$@" ${output}`, 'bash', limit, ...node],
    {
      cwd: root,
      // What Node keeps of compiled code it writes when nobody listens to the signal any more.
      env: { TEST_KEY: 'key', TEST_CLOCK: String(now), NODE_DISABLE_COMPILE_CACHE: '1' },
      reject: false,
      timeout: 60_000,
    },
  );
  return { code: exitCode, signal, stdout, stderr };
}
