import type Anthropic from '@anthropic-ai/sdk';
import { type Calls, callsOf, type Transport, timeoutOf } from '../calls.ts';
import type { Account } from '../port.ts';
import { providerErrorOf } from './errors.ts';

export interface Credentials {
  readonly account: Account;
  readonly apiKey: string;
  readonly workspace: string | null;
}

/** The SDK's client, and how its calls become values. */
export interface Wire extends Calls {
  readonly client: Anthropic;
}

/** The one that the SDK 1.14.0 was made for; said here because ANTHROPIC_CUSTOM_HEADERS could say another unseen. */
const VERSION = '2026-10-21';

/** Loads the SDK: a moment that `--help` and `validate` need not pay. */
export async function openWire(credentials: Credentials, transport: Transport = {}): Promise<Wire> {
  const { default: Client } = await import('@anthropic-ai/sdk');
  const timeoutMs = timeoutOf(transport);
  const client = new Client({
    // Everything that the SDK would else look up in the environment is given: who pays is for the settings to say.
    apiKey: credentials.apiKey,
    baseURL: credentials.account.baseUrl,
    webhookKey: null,
    openTelemetry: false,
    // ANTHROPIC_CUSTOM_HEADERS cannot be switched off, but these come after it; null takes a header away.
    defaultHeaders: {
      authorization: `Bearer ${credentials.apiKey}`,
      'x-api-key': null,
      'anthropic-version': VERSION,
      'anthropic-beta': null,
      'anthropic-workspace-id': credentials.workspace,
      'anthropic-user-profile-id': null,
    },
    logLevel: 'off',
    timeout: timeoutMs,
    // The SDK repeats what must not be repeated, and knows no idempotency.
    maxRetries: 0,
    // Rows must go where the settings say and nowhere else; and with any other mode fetch keeps a second copy of a
    // request's body for a redirect.
    fetchOptions: { redirect: 'error' },
    ...(transport.fetch === undefined ? {} : { fetch: transport.fetch }),
  });
  return { client, ...callsOf(credentials.apiKey, transport, providerErrorOf) };
}
