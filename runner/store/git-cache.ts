import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StateConflict } from '../errors.ts';
import { isCode } from '../files.ts';
import type { GitSetting } from './git-checkout.ts';
import { entriesOf, type GitEntries, type GitEntry, importStream, type NewCommit } from './git-import.ts';
import { nameAt, PART_BYTES } from './git-layout.ts';
import { type GitAnswer, type GitCall, runGit } from './git-run.ts';

const INIT = ['init', '--quiet', '--bare', '--template=', '--initial-branch=none'];

/** `folder`: another than the cache itself. */
type More = Pick<GitCall, 'input' | 'outputTo'> & { readonly folder?: string };

export interface Committed {
  readonly commit: string;
  /** The files of the order as they lie in it. */
  readonly files: GitEntries;
}

/**
 * A bare git folder of our own, outside every work tree: objects on their way to and from the remote. It may be deleted
 * at any time, and several processes may use it: objects never change, and nothing is read from its refs.
 */
export class GitCache {
  readonly folder: string;
  private readonly cwd: string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly partBytes: number;

  constructor(
    folder: string,
    cwd: string,
    env: Readonly<Record<string, string>>,
    partBytes: number = PART_BYTES,
  ) {
    this.folder = folder;
    this.cwd = cwd;
    this.env = env;
    this.partBytes = partBytes;
  }

  /**
   * Repeatable; makes anew what is missing. Made beside its place and moved there whole: two processes that begin at
   * once would else write one configuration together.
   */
  async prepare(): Promise<void> {
    if (await this.isWhole()) return;
    const fresh = `${this.folder}.${randomBytes(6).toString('hex')}`;
    await mkdir(dirname(this.folder), { recursive: true });
    await this.must([...INIT, fresh], { folder: fresh });
    try {
      await rename(fresh, this.folder);
    } catch (error) {
      if (!isCode(error, 'ENOTEMPTY') && !isCode(error, 'EEXIST')) throw error;
      await rm(fresh, { recursive: true, force: true });
      // Somebody was quicker, or what is there is damaged.
      if (!(await this.isWhole())) await this.must([...INIT, this.folder]);
    }
  }

  private async isWhole(): Promise<boolean> {
    return (await this.run(['rev-parse', '--is-bare-repository'])).kind === 'ok';
  }

  run(
    args: readonly string[],
    { folder = this.folder, ...more }: More & Pick<GitCall, 'timeoutMs'> = {},
  ): Promise<GitAnswer> {
    return runGit({
      cwd: this.cwd,
      env: { ...this.env, GIT_DIR: folder },
      args: [...FIXED, ...args],
      ...more,
    });
  }

  async has(oid: string): Promise<boolean> {
    return (await this.run(['cat-file', '-e', oid])).kind === 'ok';
  }

  async entries(commit: string): Promise<GitEntries> {
    const listed = await this.must(['ls-tree', '-r', '-l', '-z', '--full-tree', commit]);
    const entries = new Map<string, { oid: string; bytes: number }[]>();
    for (const line of listed.toString('utf8').split('\0')) {
      const [, oid, bytes, path] = TREE_LINE.exec(line) ?? [];
      if (oid === undefined || path === undefined) continue;
      // A file that the remote has must not seem to be none.
      if (bytes === 'BAD') throw new DamagedCache(this.folder, `Its object of ${path} cannot be read.`);
      const objects = entries.get(nameAt(path)) ?? [];
      // Paths come sorted, so parts come in their order.
      entries.set(nameAt(path), [...objects, { oid, bytes: Number(bytes) }]);
    }
    return new Map([...entries].map(([name, objects]) => [name, { objects }]));
  }

  /** Adds files to what the parent holds. One process, whatever their number and size. */
  async commit(order: NewCommit): Promise<Committed> {
    const bytes = [...order.files.values()].reduce((sum, file) => sum + file.bytes, 0);
    const output = await this.must(
      [...(bytes > SMALL_BYTES ? LARGE : SMALL), 'fast-import', '--quiet', '--done', '--force'],
      { input: importStream(order, this.partBytes) },
    );
    const [commit = '', ...oids] = output.toString('utf8').split('\n');
    return { commit, files: entriesOf(order, this.partBytes, oids) };
  }

  /** Writes the bytes of an entry to a new file. */
  async extract(entry: GitEntry, path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    for (const { oid } of entry.objects) await this.must(['cat-file', 'blob', oid], { outputTo: path });
  }

  /** The bytes of many small entries, by a few processes. */
  async *read(entries: readonly GitEntry[]): AsyncGenerator<Buffer> {
    for (const group of groups(entries)) {
      const input = group.flatMap(({ objects }) => objects.map(({ oid }) => `${oid}\n`)).join('');
      const output = await this.must(['cat-file', '--batch'], { input });
      let at = 0;
      for (const { objects } of group) {
        const pieces = objects.map(({ bytes }) => {
          const start = output.indexOf(LINE_FEED, at) + 1;
          at = start + bytes + 1;
          return output.subarray(start, start + bytes);
        });
        yield pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      }
    }
  }

  /** Local trouble: nothing of the state is lost by it. @throws DamagedCache, or what the machine says of a full disk */
  private async must(args: readonly string[], more: More = {}): Promise<Buffer> {
    const answer = await this.run(args, more);
    if (answer.kind === 'ok') return answer.output;
    const verb = args.find((arg) => /^[a-z]/.test(arg)) ?? '';
    if (NO_ROOM.test(answer.words)) throw noRoom(verb, this.folder, answer.words);
    throw new DamagedCache(this.folder, `git ${verb} failed in it: ${answer.words}`);
  }
}

/** The copy of the remote's objects on this machine cannot be used. The remote has all of them. */
export class DamagedCache extends StateConflict {
  constructor(folder: string, why: string) {
    super(
      `The cache of the store is damaged. ${why}`,
      `Delete ${folder}: it is a cache, and nothing is lost with it.`,
    );
  }
}

/** As `strerror` has it, wherever git says it. */
const NO_ROOM = /No space left on device|Disk quota exceeded|File too large/;

function noRoom(verb: string, path: string, words: string): Error {
  const [said = ''] = NO_ROOM.exec(words) ?? [];
  return Object.assign(new Error(`${said}, git ${verb}`), { code: 'ENOSPC', syscall: `git ${verb}`, path });
}

/**
 * No hooks, no clearing up behind our back, no search for similarities in files that are compressed already. A host
 * that goes silent for a minute counts as lost.
 */
const FIXED_SETTINGS: readonly GitSetting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.bigFileThreshold', '1m'],
  ['core.compression', '1'],
  ['core.logAllRefUpdates', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
];
const FIXED = FIXED_SETTINGS.flatMap(([key, value]) => ['-c', `${key}=${value}`]);

const SMALL_BYTES = 1_000_000;
/** As single objects: a pack for each append would slow down every later look. */
const SMALL = ['-c', 'fastimport.unpackLimit=1000'];
/** In a pack, and as they are: large files of ours are compressed already. */
const LARGE = ['-c', 'fastimport.unpackLimit=1', '-c', 'core.compression=0'];
const GROUP_BYTES = 16_000_000;
const LINE_FEED = 0x0a;
/** The size is `BAD` where the object is not there or cannot be read. */
const TREE_LINE = /^\d+ blob ([0-9a-f]+) +(\d+|BAD)\t(.*)$/s;

function groups(entries: readonly GitEntry[]): GitEntry[][] {
  const all: GitEntry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const bytes = entry.objects.reduce((sum, object) => sum + object.bytes, 0);
    if (bytes > room) {
      all.push([]);
      room = GROUP_BYTES;
    }
    all.at(-1)?.push(entry);
    room -= bytes;
  }
  return all;
}

/** A cache stands beside the work folders of the sessions. */
export function gitCacheFolder(stateFolder: string): string {
  return join(stateFolder, '.work', 'git-ref.git');
}
