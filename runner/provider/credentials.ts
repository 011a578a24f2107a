import { type Finding, UserError, userError } from '../errors.ts';
import type { ProviderKind } from '../spec/profiles.ts';
import type { ProviderSettings } from '../spec/settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What an official SDK would obey in silence, were it asked. */
interface Ambient {
  /** Variables that stand for a setting. The third entry says what the settings say instead. */
  readonly stands: readonly (readonly [string, string, (settings: ProviderSettings) => string | null])[];
  /** Keys of which only one may be set where the settings' own variable is among them: which is meant is a guess. */
  readonly rivals: readonly string[];
  /** Switches to another service, with its name. */
  readonly switches: readonly (readonly [string, string])[];
}

const AMBIENT: Readonly<Record<ProviderKind, Ambient>> = {
  openai: {
    stands: [
      ['OPENAI_BASE_URL', 'base_url', (settings) => settings.baseUrl],
      ['OPENAI_ORG_ID', 'organization', (settings) => settings.organization],
      ['OPENAI_PROJECT_ID', 'project', (settings) => settings.project],
    ],
    rivals: [],
    switches: [],
  },
  // @google/genai 3.3.0, constructor of `GoogleGenAI`.
  gemini: {
    stands: [['GOOGLE_GEMINI_BASE_URL', 'base_url', (settings) => settings.baseUrl]],
    rivals: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    switches: [
      ['GOOGLE_GENAI_USE_VERTEXAI', 'Vertex AI'],
      ['GOOGLE_GENAI_USE_ENTERPRISE', 'the Gemini Enterprise Agent Platform'],
    ],
  },
  // @anthropic-ai/sdk 1.14.0, `ClientOptions`, and `core/credentials` for the workspace.
  anthropic: {
    stands: [
      ['ANTHROPIC_BASE_URL', 'base_url', (settings) => settings.baseUrl],
      ['ANTHROPIC_WORKSPACE_ID', 'workspace', (settings) => settings.workspace],
    ],
    rivals: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    switches: [],
  },
};

/**
 * Who pays stands in git. Where the environment names another payer, one of the two is a mistake, and guessing which
 * would send data or bills to the wrong place.
 * @throws UserError with one finding for each variable
 */
export function refuseOtherPayer(name: string, settings: ProviderSettings, env: Environment): void {
  if (settings.emulator) return;
  const ambient = AMBIENT[settings.kind];
  const findings = [
    ...standsFor(name, settings, ambient, env),
    ...rivalKeys(name, settings, ambient, env),
    ...switchedTo(name, ambient, env),
  ];
  if (findings.length > 0) throw new UserError(findings);
}

function standsFor(
  name: string,
  settings: ProviderSettings,
  { stands }: Ambient,
  env: Environment,
): Finding[] {
  return stands.flatMap(([variable, field, ofSettings]): Finding[] => {
    const said = textOf(env, variable);
    const wanted = ofSettings(settings);
    if (said === '' || said === wanted) return [];
    const message = `${variable} is set, but provider \`${name}\` has ${wanted === null ? 'no' : 'another'} \`${field}\` in the settings.`;
    const hint = `Unset ${variable}, or write the value under \`providers.${name}.${field}\` in batchwright.yaml.`;
    return [payerAmbiguous(message, hint)];
  });
}

function rivalKeys(
  name: string,
  { apiKeyEnv }: ProviderSettings,
  { rivals }: Ambient,
  env: Environment,
): Finding[] {
  const set = rivals.filter((variable) => textOf(env, variable) !== '');
  if (!rivals.includes(apiKeyEnv) || set.length < 2) return [];
  const message = `${set.join(' and ')} are set, and they may belong to two payers.`;
  const hint = `Unset all but one, or name a variable of its own under \`providers.${name}.api_key_env\` in batchwright.yaml.`;
  return [payerAmbiguous(message, hint)];
}

function switchedTo(name: string, { switches }: Ambient, env: Environment): Finding[] {
  return switches
    .filter(([variable]) => !['', '0', 'false'].includes(textOf(env, variable).toLowerCase()))
    .map(([variable, service]) => {
      const message = `${variable} is set, which means ${service}; provider \`${name}\` is another service with another payer.`;
      return payerAmbiguous(message, `Unset ${variable} where Batchwright runs.`);
    });
}

function payerAmbiguous(message: string, hint: string): Finding {
  return { level: 'error', code: 'payer-ambiguous', message, hint };
}

/** @throws UserError naming the variable, never its value */
export function keyOf(name: string, { apiKeyEnv, emulator }: ProviderSettings, env: Environment): string {
  const key = textOf(env, apiKeyEnv);
  if (key === '' && emulator) return 'emulator';
  if (key === '') {
    throw userError(
      'key-missing',
      `Provider \`${name}\` needs its key in the environment variable ${apiKeyEnv}, which is ${env[apiKeyEnv] === undefined ? 'not set' : 'empty'}.`,
      `Set ${apiKeyEnv}, or name another variable under \`providers.${name}.api_key_env\` in batchwright.yaml.`,
    );
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw userError(
    'key-unusable',
    `The value of ${apiKeyEnv} holds blanks or characters that no key has.`,
    'Copy the key again: often a whole line of a shell script was pasted.',
  );
}

/** Secrets stores like to add a line feed. */
function textOf(env: Environment, variable: string): string {
  return env[variable]?.trim() ?? '';
}
