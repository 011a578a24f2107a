import { join } from 'node:path';
import type { SessionOptions } from '../context.ts';
import type { Repository } from '../spec/load.ts';
import { providerDefaults } from '../spec/normalise-settings.ts';
import { kindOf, type ProviderKind } from '../spec/profiles.ts';
import type { ProviderSettings, Settings } from '../spec/settings.ts';

/** Where a session works: on the real state, or on that of the rehearsal, which has its own of everything. */
export type Place = Pick<SessionOptions, 'root' | 'stateFolder' | 'sinkRoot' | 'env' | 'adapt'>;

export function realPlace(root: string): Place {
  return { root, stateFolder: null, sinkRoot: root, env: process.env };
}

export function rehearsalHome(root: string): string {
  return join(root, 'rehearsal');
}

const KEY_VARIABLE = 'BATCHWRIGHT_EMULATOR_KEY';
/** For verbs that only look: nothing listens there, and nobody calls. */
const NOBODY = 'http://127.0.0.1:9/v1';

/** `url`: of the running emulator. */
export function rehearsalPlace(root: string, url: string = NOBODY): Place {
  const home = rehearsalHome(root);
  return {
    root,
    stateFolder: join(home, 'state'),
    sinkRoot: home,
    env: { [KEY_VARIABLE]: 'emulator' },
    adapt: (settings, repository) => onEmulator(settings, repository, url),
  };
}

/** Every provider becomes the emulator: no address and no key of a real one is left to be used by mistake. */
function onEmulator(settings: Settings, repository: Repository, url: string): Settings {
  const names = new Set([
    ...Object.keys(settings.providers),
    ...repository.jobs.map((each) => each.job.model.provider),
  ]);
  const emulated = (name: string): ProviderSettings => ({
    ...providerDefaults(kindOf(name, settings)),
    baseUrl: addressFor(kindOf(name, settings), url),
    apiKeyEnv: KEY_VARIABLE,
    account: 'emulator',
    emulator: true,
  });
  return {
    ...settings,
    branch: null,
    providers: Object.fromEntries([...names].map((name) => [name, emulated(name)])),
  };
}

/** OpenAI's address has the API's version in it; the others' adapters add theirs. */
function addressFor(kind: ProviderKind, url: string): string {
  return kind === 'openai' ? url : new URL(url).origin;
}
