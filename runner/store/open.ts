import { resolve } from 'node:path';
import type { GitRefSettings, StoreSettings } from '../spec/settings.ts';
import { gitCacheFolder } from './git-cache.ts';
import { gitRefStore } from './git-ref.ts';
import { localStore } from './local.ts';
import type { Store } from './port.ts';

export interface StorePlace {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder of this session. */
  readonly work: string;
  now(): Date;
}

/** The store that the settings name. */
export function openStore(place: StorePlace, settings: StoreSettings): Store {
  const folder = resolve(place.root, settings.path);
  return settings.kind === 'local' ? localStore(folder) : onRemote(place, settings, folder);
}

function onRemote(place: StorePlace, settings: GitRefSettings, folder: string): Store {
  const { remote, prefix, tokenEnv } = settings;
  return gitRefStore({ ...place, remote, prefix, tokenEnv, cache: gitCacheFolder(folder) });
}
