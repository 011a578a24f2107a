import type { Emulator } from '../../runner/emulator/server.ts';
import { anthropicProvider } from '../../runner/provider/anthropic/anthropic.ts';
import { geminiProvider } from '../../runner/provider/gemini/gemini.ts';
import { openaiProvider } from '../../runner/provider/openai/openai.ts';
import type { Provider } from '../../runner/provider/port.ts';
import type { Endpoint } from '../../runner/spec/job.ts';
import { PROFILES, type ProviderKind } from '../../runner/spec/profiles.ts';
import type { ProviderSettings } from '../../runner/spec/settings.ts';

/** An adapter at one of its endpoints, before the emulator. */
export interface Adapter {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly model: string;
  open(emulator: Emulator): Promise<Provider>;
  readonly does: Habits;
}

/** In what a provider differs from another, as far as anybody outside of its adapter can see it. */
export interface Habits {
  /** The state of a batch that was just created. */
  readonly begin: 'validating' | 'submitted' | 'running';
  /** Its list says which intent a batch was made for. */
  readonly bearTags: boolean;
  /** A batch can fail before any of it runs. */
  readonly failAsAWhole: boolean;
  /** Failed requests stand in a file of their own. */
  readonly keepErrorsApart: boolean;
  /** What an expired or cancelled batch has done can be had. */
  readonly giveUnfinished: boolean;
  readonly tellOfCancelling: boolean;
  /** One request that is wrong keeps all from being run. */
  readonly failForOneLine: boolean;
  /** A line made wrong in a way that its provider blames on this line alone. */
  spoil(line: string): string;
  /** An input file that is not there shows only when the batch fails. */
  readonly acceptAnyFile: boolean;
  /** Null where there are no input files. */
  readonly unknownFile: string | null;
  /** Its word for a full queue. */
  readonly callFull: string;
}

const OPENAI: Habits = {
  begin: 'validating',
  bearTags: true,
  failAsAWhole: true,
  keepErrorsApart: true,
  giveUnfinished: true,
  tellOfCancelling: true,
  failForOneLine: true,
  spoil: () => '{"custom_id":\n',
  acceptAnyFile: true,
  unknownFile: 'file-unknown',
  callFull: 'token_limit_exceeded',
};

const GEMINI: Habits = {
  begin: 'submitted',
  bearTags: true,
  failAsAWhole: true,
  keepErrorsApart: false,
  giveUnfinished: false,
  tellOfCancelling: false,
  failForOneLine: false,
  spoil: (line) => line.replace('"contents"', '"content"'),
  acceptAnyFile: false,
  unknownFile: 'files/unknown',
  callFull: 'RESOURCE_EXHAUSTED',
};

const ANTHROPIC: Habits = {
  begin: 'running',
  bearTags: false,
  failAsAWhole: false,
  keepErrorsApart: false,
  giveUnfinished: true,
  tellOfCancelling: true,
  failForOneLine: false,
  spoil: (line) => line.replace('"messages"', '"message"'),
  acceptAnyFile: false,
  unknownFile: null,
  callFull: 'rate_limit_error',
};

/** Those that answer in words; `test/reconcile/embeddings.test.ts` has the others. */
export const ADAPTERS: readonly Adapter[] = [
  ...adaptersOf('openai', 'gpt-5.4-mini', OPENAI, (emulator) => {
    const settings = settingsOf('openai', emulator.url);
    return openaiProvider({ name: 'openai', settings, apiKey: 'emulator', retryDelaysMs: [0, 0] });
  }),
  ...adaptersOf('anthropic', 'claude-haiku-4-5', ANTHROPIC, (emulator) => {
    const settings = settingsOf('anthropic', emulator.origin);
    return anthropicProvider({ name: 'anthropic', settings, apiKey: 'emulator', retryDelaysMs: [0, 0] });
  }),
  ...adaptersOf('gemini', 'gemini-3.8-flash', GEMINI, (emulator) => {
    const settings = settingsOf('gemini', emulator.origin);
    return geminiProvider({ name: 'gemini', settings, apiKey: 'emulator', retryDelaysMs: [0, 0] });
  }),
];

function adaptersOf(kind: ProviderKind, model: string, does: Habits, open: Adapter['open']): Adapter[] {
  const inWords = PROFILES[kind].endpoints.filter(({ outputs }) => outputs.includes('text'));
  return inWords.map(({ endpoint }) => ({
    name: `${kind} ${endpoint}`,
    endpoint,
    model,
    open,
    does,
  }));
}

function settingsOf(kind: ProviderKind, baseUrl: string): ProviderSettings {
  return {
    kind,
    baseUrl,
    apiKeyEnv: 'X',
    account: null,
    organization: null,
    project: null,
    workspace: null,
    emulator: true,
  };
}
