import type OpenAI from 'openai';
import { type Calls, callsOf, type Transport, timeoutOf } from '../calls.ts';
import type { Account } from '../port.ts';
import { providerErrorOf } from './errors.ts';

export interface Credentials {
  readonly account: Account;
  readonly apiKey: string;
  readonly organization: string | null;
  readonly project: string | null;
}

/** The SDK's client, and how its calls become values. */
export interface Wire extends Calls {
  readonly client: OpenAI;
}

/** Loads the SDK: a quarter of a second that `--help` and `validate` need not pay. */
export async function openWire(credentials: Credentials, transport: Transport = {}): Promise<Wire> {
  const { default: Client } = await import('openai');
  const timeoutMs = timeoutOf(transport);
  const client = new Client({
    // Everything that the SDK would else look up in the environment is given: who pays is for the settings to say.
    apiKey: credentials.apiKey,
    adminAPIKey: null,
    organization: credentials.organization,
    project: credentials.project,
    baseURL: credentials.account.baseUrl,
    webhookSecret: null,
    // OPENAI_CUSTOM_HEADERS cannot be switched off, but these come after it; null takes a header away.
    defaultHeaders: {
      Authorization: `Bearer ${credentials.apiKey}`,
      'OpenAI-Organization': credentials.organization,
      'OpenAI-Project': credentials.project,
    },
    logLevel: 'off',
    timeout: timeoutMs,
    // The SDK repeats a 429 at once where the server asks for more than a minute, and knows no idempotency.
    maxRetries: 0,
    // Rows must go where the settings say and nowhere else. And with any other mode fetch keeps a second copy of a
    // request's body for a redirect: 600 MB of memory for a file of 600 MB, against 150 MB (Node 24.21, measured).
    fetchOptions: { redirect: 'error' },
    ...(transport.fetch === undefined ? {} : { fetch: transport.fetch }),
  });
  return { client, ...callsOf(credentials.apiKey, transport, providerErrorOf) };
}
