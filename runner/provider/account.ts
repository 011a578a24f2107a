import { type AccountId, digestOfValue } from '../ids.ts';
import { PROFILES } from '../spec/profiles.ts';
import type { ProviderSettings } from '../spec/settings.ts';
import type { Account } from './port.ts';

/** Who pays, from the settings alone: a plan needs no key to know it. */
export function accountOf(name: string, settings: ProviderSettings): Account {
  const baseUrl = (settings.baseUrl ?? PROFILES[settings.kind].baseUrl).replace(/\/+$/, '');
  return {
    id: `${name}/${accountName(settings, baseUrl)}` as AccountId,
    provider: name,
    baseUrl,
    emulator: settings.emulator,
  };
}

/** The emulator is never the account that it stands in for: its inventions must not pass for answers. */
function accountName(settings: ProviderSettings, baseUrl: string): string {
  const isRehearsal = settings.emulator && settings.account === 'emulator';
  if (settings.account === null || isRehearsal) return derivedName(settings, baseUrl);
  return settings.emulator ? `${settings.account} (emulator)` : settings.account;
}

/**
 * The same settings give the same name. The emulator's port changes from one start to the next, and a rehearsal
 * must find its own state again.
 */
function derivedName(
  { kind, organization, project, workspace, emulator }: ProviderSettings,
  baseUrl: string,
): string {
  if (emulator) return 'emulator';
  const payer = { organization, project, ...(workspace === null ? {} : { workspace }) };
  const isDefault =
    baseUrl === PROFILES[kind].baseUrl && Object.values(payer).every((value) => value === null);
  return isDefault ? 'default' : digestOfValue({ baseUrl, ...payer }).slice(0, 8);
}
