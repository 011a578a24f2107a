import { effect } from '../effects.ts';
import { StateConflict } from '../errors.ts';
import type { GitCache } from './git-cache.ts';
import type { GitEntries, GitEntry, LocalFile } from './git-import.ts';
import { type GitRemote, isFinal, PAUSES_MS, type RefMove, type Tips } from './git-remote.ts';

export interface GitRefsParts {
  readonly cache: GitCache;
  readonly remote: GitRemote;
  readonly prefix: string;
  readonly journal: string;
  now(): Date;
  pause(ms: number): Promise<void>;
}

/** Files that shall be on a ref. */
export interface Save {
  readonly ref: string;
  readonly files: ReadonlyMap<string, LocalFile>;
  /** For the commit's message. */
  readonly what: string;
}

export interface Saved {
  readonly ref: string;
  /** Names that another writer had put there before us. */
  readonly taken: readonly string[];
}

interface Step extends RefMove, Saved {
  /** What the ref holds once it has moved. */
  readonly after: GitEntries;
}

/** Each lost race means that another writer got on, so this many in a row means something else is wrong. */
const MOST_RACES = 100;

const NOTHING: GitEntries = new Map();

/** What is known of the refs: where they were when we last looked or pushed, and what they hold there. */
export class GitRefs {
  readonly cache: GitCache;
  private readonly parts: GitRefsParts;
  private tips = new Map<string, string>();
  private readonly held = new Map<string, { readonly tip: string; readonly entries: GitEntries }>();

  constructor(parts: GitRefsParts) {
    this.parts = parts;
    this.cache = parts.cache;
  }

  all(): string[] {
    return [...this.tips.keys()];
  }

  /** Asks the remote where its refs are. @throws StateConflict where the journal that we know is gone */
  async look(): Promise<Tips> {
    const tips = await this.parts.remote.tips(this.parts.prefix);
    const { journal } = this.parts;
    if (this.tips.has(journal) && !tips.has(journal)) throw lost(journal, 'is gone');
    this.tips = new Map(tips);
    return tips;
  }

  /** What a ref holds as far as we know; brings it here first where that is not done yet. */
  async entries(ref: string): Promise<GitEntries> {
    for (let tries = 0; tries < MOST_RACES; tries += 1) {
      const tip = this.tips.get(ref);
      if (tip === undefined) return NOTHING;
      const held = this.held.get(ref);
      if (held?.tip === tip) return held.entries;
      if (!(await this.cache.has(tip))) await this.fetch(ref);
      if (await this.cache.has(tip)) return this.hold(ref, tip, await this.cache.entries(tip));
      // It was moved or dropped between our look and our fetch.
      await this.look();
    }
    throw lost(ref, 'moves faster than it can be read');
  }

  private async fetch(ref: string): Promise<void> {
    effect('git.fetch', ref);
    await this.parts.remote.fetch(ref);
  }

  private hold(ref: string, tip: string, entries: GitEntries): GitEntries {
    if (ref === this.parts.journal) checkKept(ref, this.held.get(ref)?.entries ?? NOTHING, entries);
    this.held.set(ref, { tip, entries });
    return entries;
  }

  /**
   * Adds files to refs, in one push; those that a ref has already are left as they are. Where the push is refused or
   * its answer lost, the refs themselves say what became of it: it may have won all the same.
   * @throws StateConflict where the remote does not take it
   */
  async save(saves: readonly Save[]): Promise<Saved[]> {
    const saved = new Map<string, Saved>();
    let failures = 0;
    for (let race = 0; race < MOST_RACES; race += 1) {
      const open = saves.filter(({ ref }) => !saved.has(ref));
      const steps = await Promise.all(open.map((save) => this.step(save)));
      const moves = steps.filter((step) => step.to !== null);
      for (const { ref, taken } of steps.filter((step) => step.to === null)) saved.set(ref, { ref, taken });
      if (moves.length === 0) return saves.map(({ ref }) => saved.get(ref) ?? { ref, taken: [] });
      const words = await this.push(moves);
      const done = words === null ? moves : moves.filter(({ ref, to }) => this.tips.get(ref) === to);
      for (const { ref, to, taken, after } of done) {
        saved.set(ref, { ref, taken });
        this.held.set(ref, { tip: to ?? '', entries: after });
      }
      if (words !== null && moves.every(({ ref, from }) => (this.tips.get(ref) ?? null) === from)) {
        await this.again(words, failures);
        failures += 1;
      }
    }
    throw lost(saves.map(({ ref }) => ref).join(', '), 'moves faster than this pass can write');
  }

  /** Null: done. Otherwise git's words, and `tips` are what they are now. */
  private async push(moves: readonly RefMove[]): Promise<string | null> {
    const targets = moves.map(({ ref }) => ref).join(' ');
    effect('git.push', targets);
    const pushed = await this.parts.remote.push(moves);
    effect('git.pushed', targets);
    if (pushed.kind === 'failed') await this.look();
    else for (const { ref, to } of moves) this.place(ref, to);
    return pushed.kind === 'ok' ? null : pushed.words;
  }

  private place(ref: string, to: string | null): void {
    if (to === null) this.tips.delete(ref);
    else this.tips.set(ref, to);
  }

  /** A remote that has moved nothing and says no is believed; a line that failed is tried again a few times. */
  private async again(words: string, failures: number): Promise<void> {
    const ms = PAUSES_MS[failures];
    if (ms === undefined || isFinal(words)) throw this.parts.remote.trouble('write', words);
    await this.parts.pause(ms);
  }

  private async step({ ref, files, what }: Save): Promise<Step> {
    const entries = await this.entries(ref);
    const from = this.tips.get(ref) ?? null;
    const taken = [...files.keys()].filter((name) => entries.has(name));
    const news = new Map([...files].filter(([name]) => !entries.has(name)));
    if (news.size === 0) return { ref, from, to: null, taken, after: entries };
    const made = await this.cache.commit({ parent: from, message: what, at: this.parts.now(), files: news });
    return { ref, from, to: made.commit, taken, after: new Map([...entries, ...made.files]) };
  }

  /** Deletes a ref; nothing happens where there is none. */
  async drop(ref: string): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      const from = this.tips.get(ref);
      if (from === undefined) return;
      const words = await this.push([{ ref, from, to: null }]);
      if (words !== null && this.tips.get(ref) === from) await this.again(words, failures);
    }
  }
}

/** Segments never change: a journal that has others now was written by something else than this program. */
function checkKept(ref: string, before: GitEntries, after: GitEntries): void {
  for (const [name, entry] of before)
    if (oidsOf(after.get(name)) !== oidsOf(entry)) throw lost(ref, `no longer holds ${name} as it was`);
}

function oidsOf(entry: GitEntry | undefined): string {
  return entry?.objects.map(({ oid }) => oid).join(' ') ?? '';
}

function lost(ref: string, what: string): StateConflict {
  return new StateConflict(
    `${ref} ${what}. Nothing more is sent.`,
    'Bring the ref back as it was (the host keeps old commits for some weeks), or find out who moves it.',
  );
}
