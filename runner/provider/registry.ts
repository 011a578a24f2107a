import { userError } from '../errors.ts';
import { providerDefaults } from '../spec/normalise-settings.ts';
import { PROVIDER_KINDS, type ProviderKind, profileOf } from '../spec/profiles.ts';
import type { ProviderSettings, Settings } from '../spec/settings.ts';
import { didYouMean, listed } from '../spec/suggest.ts';
import { accountOf } from './account.ts';
import { decode as decodeAnthropic } from './anthropic/decode.ts';
import * as anthropicBodies from './anthropic/encode.ts';
import { type Environment, keyOf, refuseOtherPayer } from './credentials.ts';
import { decode as decodeGemini } from './gemini/decode.ts';
import * as geminiBodies from './gemini/encode.ts';
import { decode as decodeOpenai } from './openai/decode.ts';
import * as openaiBodies from './openai/encode.ts';
import type { ProviderOptions } from './options.ts';
import type { Codec, Provider } from './port.ts';

/** What holds where the settings name no provider: the nine-line job needs no settings file. */
const BUILT_IN: Readonly<Record<string, ProviderSettings>> = Object.fromEntries(
  PROVIDER_KINDS.map((kind) => [kind, providerDefaults(kind)]),
);

/** What each kind says and understands: pure, so that it needs no SDK. */
const CODECS: Readonly<Record<ProviderKind, Omit<Codec, 'profile' | 'account'>>> = {
  openai: codecOf(openaiBodies, decodeOpenai),
  gemini: codecOf(geminiBodies, decodeGemini),
  anthropic: codecOf(anthropicBodies, decodeAnthropic),
};

function codecOf(
  { encoder, wireEnvelope, withTokenCap }: Omit<Codec, 'profile' | 'account' | 'decode'>,
  decode: Codec['decode'],
): Omit<Codec, 'profile' | 'account'> {
  return { encoder, wireEnvelope, withTokenCap, decode };
}

/** Pure. @throws UserError where the settings name no such provider. */
export function providerSettings(name: string, settings: Settings): ProviderSettings {
  const known = { ...BUILT_IN, ...settings.providers };
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(known);
  const hint =
    didYouMean(name, names) ??
    `Known are ${listed(names)}; others stand under \`providers\` in batchwright.yaml.`;
  throw userError('unknown-provider', `There is no provider \`${name}\`.`, hint);
}

/** Pure. Profile, account, encode and decode of a provider, without its key. @throws UserError as `providerSettings` */
export function codecFor(name: string, settings: Settings): Codec {
  const found = providerSettings(name, settings);
  return {
    profile: profileOf(found.kind, found.emulator),
    account: accountOf(name, found),
    ...CODECS[found.kind],
  };
}

/**
 * The provider with its credentials; loads the SDK.
 * @param now milliseconds since 1970
 * @throws UserError where the key's variable is unset, or the environment names another payer than the settings
 */
export async function providerFor(
  name: string,
  settings: Settings,
  env: Environment,
  now: () => number = Date.now,
): Promise<Provider> {
  const found = providerSettings(name, settings);
  refuseFalseEmulator(name, found);
  refuseOtherPayer(name, found, env);
  const apiKey = keyOf(name, found, env);
  const { useProxies } = await import('./proxy.ts');
  const haste = found.emulator ? { retryDelaysMs: HASTY_MS } : {};
  return open(found.kind, { name, settings: found, apiKey, networkHint: useProxies(env), now, ...haste });
}

async function open(kind: ProviderKind, options: ProviderOptions): Promise<Provider> {
  switch (kind) {
    case 'openai':
      return (await import('./openai/openai.ts')).openaiProvider(options);
    case 'gemini':
      return (await import('./gemini/gemini.ts')).geminiProvider(options);
    case 'anthropic':
      return (await import('./anthropic/anthropic.ts')).anthropicProvider(options);
    default:
      return kind satisfies never;
  }
}

/** A rehearsal should not wait: the emulator's bad moments are over at once. */
const HASTY_MS = [10, 20];

/** The emulator's money counts for nothing; a real account under that flag would spend unseen. */
function refuseFalseEmulator(name: string, settings: ProviderSettings): void {
  if (!settings.emulator || isLoopback(accountOf(name, settings).baseUrl)) return;
  throw userError(
    'emulator-not-loopback',
    `Provider \`${name}\` is marked \`emulator: true\` but its base_url is not on this machine, so its cost would be real and not counted.`,
    'Remove `emulator`, or set `base_url` to the emulator, such as http://127.0.0.1:4010/v1.',
  );
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
