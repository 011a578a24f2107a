import { StateConflict } from '../errors.ts';
import type { GitCache } from './git-cache.ts';

/** Where a ref points, by its name. */
export type Tips = ReadonlyMap<string, string>;

/** One ref from what it was (null: absent) to what it shall be (null: absent). */
export interface RefMove {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

export type Pushed = { readonly kind: 'ok' } | { readonly kind: 'failed'; readonly words: string };

/** The remote repository. Reading is tried again where the line may be at fault; a push never is by itself. */
export class GitRemote {
  /** For people: without passwords. */
  readonly place: string;
  private readonly cache: GitCache;
  private readonly url: string;
  private readonly pause: (ms: number) => Promise<void>;

  constructor(cache: GitCache, url: string, place: string, pause: (ms: number) => Promise<void>) {
    this.cache = cache;
    this.url = url;
    this.place = place;
    this.pause = pause;
  }

  /** Every ref below the prefix. @throws StateConflict where it cannot be asked */
  async tips(prefix: string): Promise<Tips> {
    const answer = await this.patiently(() =>
      this.cache.run(['ls-remote', '--refs', '--quiet', this.url, `${prefix}/*`], { timeoutMs: READ_MS }),
    );
    if (answer.kind === 'failed') throw this.trouble('read', answer.words);
    const lines = answer.output
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return new Map(lines.map((line) => line.split('\t')).map(([oid = '', ref = '']) => [ref, oid]));
  }

  /** Brings what a ref points to into the cache. @throws StateConflict where it cannot be had */
  async fetch(ref: string): Promise<void> {
    // Kept under a ref of the cache only so that the next fetch need not bring it again.
    const answer = await this.patiently(() =>
      this.cache.run([
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--recurse-submodules=no',
        this.url,
        `+${ref}:refs/kept/${ref}`,
      ]),
    );
    if (answer.kind === 'failed' && !isGone(answer.words)) throw this.trouble('read', answer.words);
  }

  /** Moves refs, each only from where the caller knows it to be. A failure says nothing: look where they are. */
  async push(moves: readonly RefMove[]): Promise<Pushed> {
    const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
    const refspecs = moves.map(({ ref, to }) => `${to ?? ''}:${ref}`);
    const answer = await this.cache.run([
      'push',
      '--porcelain',
      '--no-verify',
      ...leases,
      this.url,
      ...refspecs,
    ]);
    return answer.kind === 'ok' ? { kind: 'ok' } : answer;
  }

  /** @param what of reading and writing failed */
  trouble(what: 'read' | 'write', words: string): StateConflict {
    const done = what === 'read' ? 'cannot be read' : 'took nothing';
    return new StateConflict(`The store at ${this.place} ${done}: ${words}`, hintFor(words));
  }

  private async patiently<Answer extends { readonly kind: string }>(
    ask: () => Promise<
      Answer & ({ readonly kind: 'ok' } | { readonly kind: 'failed'; readonly words: string })
    >,
  ) {
    for (let tries = 0; ; tries += 1) {
      const answer = await ask();
      const ms = PAUSES_MS[tries];
      if (answer.kind === 'ok' || ms === undefined || isFinal(answer.words)) return answer;
      await this.pause(ms);
    }
  }
}

/** Between tries. The receipt of a paid call may hang on it, and a signal leaves some seconds. */
export const PAUSES_MS = [500, 1_500, 4_000];
const READ_MS = 120_000;

/** What another try does not change. */
export function isFinal(words: string): boolean {
  return HINTS.some(([pattern]) => pattern.test(words)) || isGone(words);
}

function isGone(words: string): boolean {
  return /couldn't find remote ref|not our ref/.test(words);
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /Authentication failed|could not read (Username|Password)|Permission denied|returned error: 40[13]|Permission to .* denied|Write access/i,
    'Give this runner the right to write to the repository (`contents: write`), or name a variable that holds a token: `store.token_env`.',
  ],
  [
    /GH006|GH013|protected branch|rule violations|hook declined|denied by|prohibited|deny updating/i,
    'A rule of the host forbids it: let the runner create, update and delete refs below `store.prefix`.',
  ],
  [
    /GH001|exceeds.*(file size|limit)|too large/i,
    'The host takes no files of that size: lower `store.max_gb`, make the job smaller, or use another store.',
  ],
  [
    /not found|does not appear to be a git repository|does not exist|not a git repository/i,
    'Look at the address of `store.remote`: git remote -v.',
  ],
];

function hintFor(words: string): string {
  const known = HINTS.find(([pattern]) => pattern.test(words));
  return (
    known?.[1] ??
    'Nothing more is sent until it answers. Try again; what is under way at a provider stays there.'
  );
}
