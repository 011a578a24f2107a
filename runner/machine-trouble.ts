import { messageOf } from './errors.ts';
import { isOsError } from './files.ts';

/** Why the machine would not do what was asked of it: nobody's mistake in a job, and none in this program. */
export interface MachineTrouble {
  readonly kind: 'no-room' | 'not-allowed' | 'disk-error' | 'too-many-files';
  /** In one sentence, with the words of the system and the place where they are known. */
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

/**
 * What of this the operating system or DuckDB said, wherever it stands among the causes; null where it is something
 * else. Pure.
 */
export function machineTroubleOf(error: unknown): MachineTrouble | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const kind = kindOf(cause);
    if (kind !== null)
      return { kind, message: `${SAID[kind]}: ${wordsOf(cause)}`, hint: `${HINTS[kind]} ${KEPT}` };
  }
  return null;
}

/** True where a disk is full, a quota is used up, or a file may not grow. */
export function isNoRoom(error: unknown): boolean {
  return machineTroubleOf(error)?.kind === 'no-room';
}

type Kind = MachineTrouble['kind'];

const CODES: Readonly<Record<string, Kind>> = {
  ENOSPC: 'no-room',
  EDQUOT: 'no-room',
  EFBIG: 'no-room',
  EACCES: 'not-allowed',
  EPERM: 'not-allowed',
  EROFS: 'not-allowed',
  EIO: 'disk-error',
  EMFILE: 'too-many-files',
  ENFILE: 'too-many-files',
};

/** DuckDB's errors carry no code, but the words of `strerror` at their end. */
const WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/No space left on device|Disk quota exceeded|File too large/, 'no-room'],
  [/Permission denied|Operation not permitted|Read-only file system/, 'not-allowed'],
  [/Input\/output error/, 'disk-error'],
  [/Too many open files/, 'too-many-files'],
];

function kindOf(error: Error): Kind | null {
  if (isOsError(error)) return CODES[error.code ?? ''] ?? null;
  if (!isDuckError(error) || !OF_FILES.test(error.message)) return null;
  return WORDS.find(([words]) => words.test(error.message))?.[1] ?? null;
}

/** Errors of other kinds quote values, and a row may hold the words of a full disk. */
const OF_FILES = /^(IO|TransactionContext|FATAL|Out of Memory) Error: /;

/** By the form of its messages: `IO Error: …`. Their class is that of the package, which is loaded only where it is used. */
export function isDuckError(error: unknown): error is Error {
  return error instanceof Error && /^[A-Z][\w ]{1,40} Error: /.test(error.message);
}

const SAID: Readonly<Record<Kind, string>> = {
  'no-room': 'There is no room left on the disk',
  'not-allowed': 'The operating system did not allow it',
  'disk-error': 'The disk reports an error',
  'too-many-files': 'Too many files are open on this machine',
};

const KEPT = 'Nothing that was paid for is lost: the next pass goes on from the journal.';

const HINTS: Readonly<Record<Kind, string>> = {
  'no-room': 'Make room (`df -h` shows which disk is full) and run it again.',
  'not-allowed': 'Let this user read and write there, and run it again.',
  'disk-error': 'Look at the disk, and copy the state away from it before anything else.',
  'too-many-files': 'Raise the limit (`ulimit -n`) or close what else runs here, and run it again.',
};

/** The first line: DuckDB goes on with our own SQL. A write to an open file does not say to which. */
function wordsOf(error: Error): string {
  const words = messageOf(error).split('\n')[0]?.trim() ?? '';
  const { path } = error as NodeJS.ErrnoException;
  return path === undefined || words.includes(path) ? words : `${words} '${path}'`;
}
