import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UserError, userError } from '../errors.ts';
import { type Copied, copyState } from '../reconcile/copy-state.ts';
import { bytes, many } from '../report/text.ts';
import { loadRepository } from '../spec/load.ts';
import { normaliseSettings } from '../spec/normalise-settings.ts';
import type { Settings, StoreSettings } from '../spec/settings.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { type Common, EXIT } from './common.ts';
import { nowInstant } from './passes.ts';

export interface CopyOptions extends Common {
  /** `local` or `git-ref` */
  readonly from: string;
  readonly to: string;
}

/**
 * `batchwright state copy`: journal and files from one kind of store to the other. Which folder and which refs: as the
 * settings say for the kind that they name, the defaults for the other. The settings are for a person to edit.
 * @throws UserError for a kind that there is not; StateConflict where the target has another journal
 */
export async function runCopy(options: CopyOptions): Promise<number> {
  const { settings, findings } = await loadRepository(options.root, { now: nowInstant() });
  const broken = findings.filter(({ level, file }) => level === 'error' && file === 'batchwright.yaml');
  if (broken.length > 0) throw new UserError(broken);
  const work = join(
    resolve(options.root, settings.store.path),
    '.work',
    `copy-${randomBytes(4).toString('hex')}`,
  );
  const place = { root: options.root, env: process.env, work, now: () => new Date() };
  const [from, to] = [options.from, options.to].map((kind) => openStore(place, settingsOf(kind, settings)));
  if (from === undefined || to === undefined || from.kind === to.kind)
    throw userError(
      'same-store',
      '--from and --to name the same kind of store',
      'copy `--from local --to git-ref`, or back',
    );
  try {
    const copied = await copyState(from, to);
    options.out(options.json ? jsonOf(from, to, copied) : textOf(from, to, copied));
    return EXIT.ok;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function settingsOf(kind: string, { store }: Settings): StoreSettings {
  if (kind !== 'local' && kind !== 'git-ref')
    throw userError('unknown-store', `there is no store ${JSON.stringify(kind)}`, 'write local or git-ref');
  return store.kind === kind ? store : normaliseSettings({ store: { kind, path: store.path } }).store;
}

function jsonOf(from: Store, to: Store, copied: Copied): string {
  const { lineage, seq, segments, files } = copied;
  const document = {
    format: 'batchwright/copy/v1',
    from: { store: from.kind, place: from.place },
    to: { store: to.kind, place: to.place },
    journal: { lineage, seq },
    segments,
    files,
    bytes: copied.bytes,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function textOf(from: Store, to: Store, copied: Copied): string {
  const what = `${many(copied.segments, 'segment')} and ${many(copied.files, 'file')} (${bytes(copied.bytes)})`;
  return `copied ${what} from ${from.kind} at ${from.place} to ${to.kind} at ${to.place}\nnow set \`store: { kind: ${to.kind} }\` in batchwright.yaml, in one commit, before anything else reconciles\n`;
}
