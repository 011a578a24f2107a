import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type GitFacts, readGit, readOnlyReason } from './git.ts';
import { digestOf, epochMs, type Instant, instantOf, type JobName } from './ids.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import type { Pacing } from './plan/snapshot.ts';
import type { Codec, Provider } from './provider/port.ts';
import { codecFor, providerFor } from './provider/registry.ts';
import type { LogEntry, PassContext } from './reconcile/context.ts';
import { type LedgerPool, ledgerPool } from './reconcile/ledgers.ts';
import { SINK_KINDS } from './sink/kinds.ts';
import { loadRepository, type Repository } from './spec/load.ts';
import type { Settings, StoreSettings } from './spec/settings.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/port.ts';

/** Where a session works, and with what. A rehearsal differs from the real thing in nothing but these. */
export interface SessionOptions {
  readonly root: string;
  /** A checkout whose limits hold instead of those in `root`; null or absent: its own. */
  readonly policyRoot?: string | null;
  /** Absolute; null: where the settings put the store. */
  readonly stateFolder: string | null;
  /** Where relative sink paths start; the root, but for a rehearsal. */
  readonly sinkRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pacing: Pacing;
  /** Changes the settings before anything uses them: a rehearsal points the providers at the emulator. */
  readonly adapt?: (settings: Settings, repository: Repository) => Settings;
  /** Only these jobs are planned; null: all. Others are still polled and collected. */
  readonly only: ReadonlySet<JobName> | null;
  /** After how many segments of the journal its fold is kept; as the journal thinks best. */
  readonly snapshotEvery?: number;
  now?(): Instant;
  say(entry: LogEntry): void;
  stopping?(): boolean;
}

/** Real effects, built in one place. Each pass reads git again; journal, providers and ledgers live on between passes. */
export interface Session {
  context(): Promise<PassContext>;
  close(): Promise<void>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const now = options.now ?? (() => instantOf(Date.now()));
  const providers = new Map<string, Promise<Provider>>();
  const say = complainOnce(options.say);
  let kept: Kept | null = null;

  async function context(): Promise<PassContext> {
    const repository = await loadRepository(options.root, {
      now: now(),
      policyRoot: options.policyRoot ?? null,
    });
    const settings = options.adapt?.(repository.settings, repository) ?? repository.settings;
    const git = await readGit(options.root, settings.branch);
    if (git !== null && git.problem !== null) say(gitProblem(git.problem));
    kept ??= await keep({ ...options, say }, settings, git, now);
    return {
      root: options.root,
      ...kept,
      repository,
      settings,
      pacing: options.pacing,
      commit: git?.commit ?? null,
      dirty: git?.dirty ?? true,
      readOnly: readOnlyReason(git, settings.branch, kept.store.kind !== 'local'),
      only: options.only,
      now,
      provider: (name) =>
        keptProvider(providers, name, settings, () =>
          providerFor(name, settings, options.env, () => epochMs(now())),
        ),
      codec: (name): Codec => codecFor(name, settings),
      sink: async (spec) => SINK_KINDS[spec.kind](resolve(options.sinkRoot, spec.path)),
      hashKey: (key) => `#${digestOf(`${kept?.journal.state.lineage}\n${key}`).slice(0, 10)}`,
      say,
      stopping: options.stopping ?? (() => false),
    };
  }

  return {
    context,
    async close() {
      kept?.ledgers.close();
      if (kept !== null) await rm(kept.work, { recursive: true, force: true });
    },
  };
}

function gitProblem(said: string): LogEntry {
  const text = `git does not say which commit this is, so the run is recorded without one. It says: ${said}`;
  return { level: 'warning', job: null, text };
}

/** A warning or an error is said once a session, not in each pass: the report goes on saying it. */
function complainOnce(say: SessionOptions['say']): SessionOptions['say'] {
  const known = new Set<string>();
  return (entry) => {
    const key = JSON.stringify(entry);
    if (entry.level !== 'info' && known.has(key)) return;
    known.add(key);
    say(entry);
  };
}

interface Kept {
  readonly stateFolder: string;
  readonly work: string;
  readonly store: Store;
  readonly journal: Journal;
  readonly ledgers: LedgerPool;
}

async function keep(
  options: SessionOptions,
  settings: Settings,
  git: GitFacts | null,
  now: () => Instant,
): Promise<Kept> {
  const stateFolder = options.stateFolder ?? resolve(options.root, settings.store.path);
  // Beside the state and not in /tmp: a shard is large, and what is put into the store need not cross file systems.
  const work = join(stateFolder, '.work', `${process.pid}-${randomBytes(4).toString('hex')}`);
  // A rehearsal has a folder of its own, wherever the settings keep the real state.
  const kept: StoreSettings =
    options.stateFolder === null ? settings.store : { kind: 'local', path: options.stateFolder };
  const { root, env } = options;
  const store = openStore({ root, env, work, now: () => new Date(now()) }, kept);
  const writer = {
    writer: `${hostname()}/${process.pid}`,
    commit: git?.commit ?? null,
    now,
    nonce: () => randomBytes(16).toString('hex'),
  };
  const journal = openJournal(store, writer, {
    ...(options.snapshotEvery === undefined ? {} : { snapshotEvery: options.snapshotEvery }),
    warn: (text) => options.say({ level: 'warning', job: null, text }),
  });
  const ledgers = ledgerPool({
    stateFolder,
    work,
    store,
    warn: (job, text) => options.say({ level: 'warning', job, text }),
  });
  return { stateFolder, work, store, journal, ledgers };
}

/** One client a provider, as long as its settings stay; one that could not be made is tried again. */
async function keptProvider(
  known: Map<string, Promise<Provider>>,
  name: string,
  settings: Settings,
  make: () => Promise<Provider>,
): Promise<Provider> {
  const key = JSON.stringify([name, settings.providers[name]]);
  const provider = known.get(key) ?? make();
  known.set(key, provider);
  try {
    return await provider;
  } catch (error) {
    known.delete(key);
    throw error;
  }
}
