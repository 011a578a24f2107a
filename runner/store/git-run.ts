import { type Result as ExecaResult, execa } from 'execa';

export interface GitCall {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly input?: string | AsyncIterable<Uint8Array>;
  /** Where the output goes instead of into the result; appended. */
  readonly outputTo?: string;
  readonly timeoutMs?: number;
}

export type GitAnswer =
  | { readonly kind: 'ok'; readonly output: Buffer }
  | { readonly kind: 'failed'; readonly words: string; readonly isMissing: boolean };

/** Long enough for two gigabytes on a slow line; a call that hangs must end at some time. */
const MOST_MS = 1_800_000;

/** Runs git once. Never throws: what went wrong is told in git's own words, without secrets. */
export async function runGit(call: GitCall): Promise<GitAnswer> {
  const result = await execa('git', call.args, {
    cwd: call.cwd,
    env: call.env,
    extendEnv: false,
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
    // A signal to our process group must not end a push: what it carries may be the receipt of a paid call.
    detached: true,
    timeout: call.timeoutMs ?? MOST_MS,
    ...(call.input === undefined ? { stdin: 'ignore' as const } : { stdin: stdinOf(call.input) }),
    ...(call.outputTo === undefined ? {} : { stdout: { file: call.outputTo, append: true } }),
  });
  if (!result.failed) return { kind: 'ok', output: Buffer.from(result.stdout ?? []) };
  // What it was asked to print are rows and answers, and nothing that it says of itself.
  const printed = call.args.includes('cat-file') ? [] : result.stdout;
  const said = [result.stderr, printed].map((bytes) => Buffer.from(bytes ?? []).toString('utf8'));
  const words = result.timedOut ? 'git did not end in time' : [...said, ...roomIn(result)].join('\n');
  return {
    kind: 'failed',
    words: readable(words) || readable(result.shortMessage ?? '') || 'git failed',
    isMissing: result.code === 'ENOENT',
  };
}

/** In the words of the system: `ulimit -f` ends git by a signal, and what git prints into a file is written by us. */
function roomIn({ signal, code }: Pick<ExecaResult, 'signal' | 'code'>): string[] {
  const words = ROOM[signal ?? code ?? ''];
  return words === undefined ? [] : [words];
}

const ROOM: Readonly<Record<string, string>> = {
  SIGXFSZ: 'File too large',
  EFBIG: 'File too large',
  EDQUOT: 'Disk quota exceeded',
  ENOSPC: 'No space left on device',
};

async function* stdinOf(input: string | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (typeof input === 'string') yield Buffer.from(input);
  else yield* input;
}

const MOST_WORDS = 600;

/** What a host says is hostile text, and an address in it may hold a password. */
function readable(words: string): string {
  return words
    .replaceAll(/\/\/[^/\s]*@/g, '//')
    .replaceAll(/[^\P{C}\n]/gu, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'))
    .join('; ')
    .slice(0, MOST_WORDS);
}
