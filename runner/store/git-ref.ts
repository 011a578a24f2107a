import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effect } from '../effects.ts';
import { StateConflict } from '../errors.ts';
import { digestOfFile } from '../files.ts';
import { DamagedCache, GitCache } from './git-cache.ts';
import { envForStore, readCheckout } from './git-checkout.ts';
import type { LocalFile } from './git-import.ts';
import { gitLayout } from './git-layout.ts';
import { GitRefs, type Saved } from './git-refs.ts';
import { GitRemote } from './git-remote.ts';
import { GitScratch } from './git-scratch.ts';
import { withToken } from './git-token.ts';
import type { NamedSource, PutSource, Store } from './port.ts';

export interface GitRefOptions {
  /** The checkout whose remote keeps the state. */
  readonly root: string;
  /** The name of that remote. */
  readonly remote: string;
  /** `refs/heads/batch-state` */
  readonly prefix: string;
  /** The variable that holds a token for it; null: whatever the checkout has. */
  readonly tokenEnv: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A bare git folder that may stay from session to session. */
  readonly cache: string;
  /** A folder of this session, for files as they are read and written. */
  readonly work: string;
  /** A file of more bytes lies in the tree in parts; by default what hosts take. */
  readonly partBytes?: number;
  now(): Date;
  pause?(ms: number): Promise<void>;
}

/** Bytes that wait for the next segment; more are pushed before. Hosts take 2 GB a push (GitHub, 2026-11). */
const MOST_WAITING_BYTES = 500_000_000;

const SEGMENT = /^journal\/\d+\.jsonl$/;

/**
 * The store as refs of a git remote: one for the journal, one for the files of each run. Files wait on this machine
 * and go out together, in a push of their own, before the next segment does; so a pass has few pushes, and no segment
 * names a file that is not there. Each push moves refs only from where we know them to be, which makes it the lock.
 */
export function gitRefStore(options: GitRefOptions): Store {
  const layout = gitLayout(options.prefix);
  const inTurn = healing(queue());
  const scratch = new GitScratch(join(options.work, 'store'));
  const waiting = new Map<string, LocalFile>();
  let opened: Promise<GitRefs> | null = null;

  function refs(): Promise<GitRefs> {
    opened ??= open(options).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  }

  /** A damaged cache is thrown away, once a session: the remote has what was in it, and what waits lies elsewhere. */
  function healing(turn: Turn): Turn {
    let healed = false;
    return (work) =>
      turn(async () => {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof DamagedCache) || healed) throw error;
          healed = true;
          opened = null;
          await rm(options.cache, { recursive: true, force: true });
          return work();
        }
      });
  }

  async function list(prefix: string): Promise<string[]> {
    const known = await refs();
    await known.look();
    const names = [...waiting.keys()];
    for (const ref of known.all())
      if (layout.mayHold(ref, prefix)) names.push(...(await known.entries(ref)).keys());
    return [...new Set(names)].filter((name) => name.startsWith(prefix)).sort();
  }

  async function get(name: string): Promise<string | null> {
    if (scratch.has(name)) return scratch.pathOf(name);
    const known = await refs();
    const ref = layout.refOf(name);
    if (!(await known.entries(ref)).has(name)) await known.look();
    if (!(await known.entries(ref)).has(name)) return null;
    if (SEGMENT.test(name)) await readSegments(known, name);
    else scratch.keep(name, await extracted(known, name));
    return scratch.pathOf(name);
  }

  async function extracted(known: GitRefs, name: string): Promise<string> {
    const entry = (await known.entries(layout.refOf(name))).get(name);
    const path = await scratch.newPath(name);
    if (entry !== undefined) await known.cache.extract(entry, path);
    return path;
  }

  /** This one and all later ones: whoever folds the journal wants those next, and one process reads thousands. */
  async function readSegments(known: GitRefs, first: string): Promise<void> {
    const news = [...(await known.entries(layout.journal))].filter(
      ([name]) => SEGMENT.test(name) && name >= first && !scratch.has(name),
    );
    const names = news.map(([name]) => name).values();
    for await (const bytes of known.cache.read(news.map(([, entry]) => entry))) {
      const name = names.next().value ?? '';
      const path = await scratch.newPath(name);
      await writeFile(path, bytes);
      scratch.keep(name, path);
    }
  }

  async function putIfAbsent(name: string, source: PutSource): Promise<'put' | 'exists'> {
    effect('store.put', name);
    const known = await refs();
    const ref = layout.refOf(name);
    if (waiting.has(name) || (await known.entries(ref)).has(name)) return 'exists';
    const file = await scratch.take(name, source);
    if (ref !== layout.journal) return wait(name, file);
    await flush(known);
    const [saved] = await known.save([{ ref, files: new Map([[name, file]]), what: name }]);
    if (saved?.taken.includes(name)) return 'exists';
    scratch.keep(name, file.path);
    return 'put';
  }

  /** Files before segments, whatever the order: so that no segment names what is not there. */
  async function putInOrder(files: readonly NamedSource[]): Promise<void> {
    const known = await refs();
    const segments = new Map<string, LocalFile>();
    for (const { name, source } of files) {
      effect('store.put', name);
      const ref = layout.refOf(name);
      if (waiting.has(name) || (await known.entries(ref)).has(name)) continue;
      const file = await scratch.take(name, source);
      if (ref === layout.journal) segments.set(name, file);
      else await wait(name, file);
    }
    await flush(known);
    if (segments.size > 0)
      await known.save([{ ref: layout.journal, files: segments, what: `${segments.size} segments` }]);
  }

  async function wait(name: string, file: LocalFile): Promise<'put'> {
    waiting.set(name, file);
    scratch.keep(name, file.path);
    const bytes = [...waiting.values()].reduce((sum, each) => sum + each.bytes, 0);
    if (bytes > MOST_WAITING_BYTES) await flush(await refs());
    return 'put';
  }

  async function flush(known: GitRefs): Promise<void> {
    if (waiting.size === 0) return;
    const byRef = Map.groupBy([...waiting], ([name]) => layout.refOf(name));
    const saved = await known.save(
      [...byRef].map(([ref, named]) => ({ ref, files: new Map(named), what: `${named.length} files` })),
    );
    await proveSame(known, saved);
    waiting.clear();
  }

  /** Another writer has put a file of that name meanwhile. Names hold a digest, so its bytes are ours; proved all the same. */
  async function proveSame(known: GitRefs, saved: readonly Saved[]): Promise<void> {
    for (const name of saved.flatMap(({ taken }) => taken)) {
      const ours = await digestOfFile(waiting.get(name)?.path ?? '');
      const theirs = await digestOfFile(await extracted(known, name));
      if (ours.digest !== theirs.digest) throw otherBytes(name);
    }
  }

  async function dropRun(folder: string): Promise<void> {
    const known = await refs();
    await known.look();
    scratch.forget(folder);
    for (const name of waiting.keys()) if (name.startsWith(`${folder}/`)) waiting.delete(name);
    await known.drop(layout.refOf(`${folder}/any`));
  }

  return {
    kind: 'git-ref',
    place: placeOf(options),
    list: (prefix) => inTurn(() => list(prefix)),
    get: (name) => inTurn(() => get(name)),
    putIfAbsent: (name, source) => inTurn(() => putIfAbsent(name, source)),
    putInOrder: (files) => inTurn(() => putInOrder(files)),
    dropRun: (folder) => inTurn(() => dropRun(folder)),
  };
}

async function open(options: GitRefOptions): Promise<GitRefs> {
  const { root, remote, env, prefix, now } = options;
  const checkout = withToken(await readCheckout(root, remote, env), options.tokenEnv, env);
  const cache = new GitCache(options.cache, root, envForStore(env, checkout.config), options.partBytes);
  await cache.prepare();
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const refs = new GitRefs({
    cache,
    remote: new GitRemote(cache, checkout.url, placeOf(options), pause),
    prefix,
    journal: gitLayout(prefix).journal,
    now,
    pause,
  });
  await refs.look();
  return refs;
}

function placeOf({ remote, prefix }: GitRefOptions): string {
  return `${remote} ${prefix}`;
}

function otherBytes(name: string): StateConflict {
  return new StateConflict(
    `The store holds other bytes under ${name} than this pass has made.`,
    'Nothing was told to the journal. Try again; `batchwright verify` proves what is there.',
  );
}

type Turn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** One call after the other: what one has found out must not move under another. */
function queue(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
}
