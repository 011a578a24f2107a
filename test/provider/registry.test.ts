import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/errors.ts';
import { accountOf } from '../../runner/provider/account.ts';
import { codecFor, providerFor, providerSettings } from '../../runner/provider/registry.ts';
import type { ProviderSettings, Settings } from '../../runner/spec/settings.ts';

const OPENAI: ProviderSettings = {
  kind: 'openai',
  baseUrl: null,
  apiKeyEnv: 'OPENAI_API_KEY',
  account: null,
  organization: null,
  project: null,
  workspace: null,
  emulator: false,
};

function settings(providers: Settings['providers'] = {}): Settings {
  return {
    store: { kind: 'local', path: 'state' },
    branch: null,
    providers,
    models: {},
    budgets: { perRunUsd: null, perMonthUsd: null, maxItems: null, approveAboveUsd: null, owners: {} },
    policy: { neverSend: [], allowedRoots: [] },
    report: { keys: 'shown', samples: 0, target: 'branch', tokenEnv: null },
    suspend: null,
  };
}

const EMULATOR = { ...OPENAI, baseUrl: 'http://127.0.0.1:4010/v1', emulator: true };

async function refusal(name: string, of: Settings, env: Record<string, string>): Promise<readonly string[]> {
  const thrown = await providerFor(name, of, env).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(UserError);
  return (thrown as UserError).findings.map(
    (finding) => `${finding.code}: ${finding.message} ${finding.hint}`,
  );
}

describe('credentials', () => {
  test('openai needs no settings, only its key', async () => {
    const provider = await providerFor('openai', settings(), { OPENAI_API_KEY: ' sk-0123456789abcdef\n' });
    expect(provider.account).toEqual({
      id: 'openai/default',
      provider: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      emulator: false,
    });
  });

  test.each([
    ['not set', {}],
    ['empty', { OPENAI_API_KEY: ' \n' }],
  ])('the variable is named where it is %s', async (state, env) => {
    const [message] = await refusal('openai', settings(), env as Record<string, string>);
    expect(message).toBe(
      `key-missing: Provider \`openai\` needs its key in the environment variable OPENAI_API_KEY, which is ${state}. Set OPENAI_API_KEY, or name another variable under \`providers.openai.api_key_env\` in batchwright.yaml.`,
    );
  });

  test('a value that cannot be a key is not shown', async () => {
    const [message] = await refusal('openai', settings(), { OPENAI_API_KEY: 'export KEY=sk-secret' });
    expect(message).toMatch(/^key-unusable: /);
    expect(message).not.toContain('sk-secret');
  });

  test('another variable, by name', async () => {
    const of = settings({ prod: { ...OPENAI, apiKeyEnv: 'PROD_KEY', account: 'batch-prod' } });
    const provider = await providerFor('prod', of, { PROD_KEY: 'sk-0123456789abcdef' });
    expect(provider.account.id).toBe('prod/batch-prod');
    expect(await refusal('prod', of, { OPENAI_API_KEY: 'sk-0123456789abcdef' })).toHaveLength(1);
  });

  test('the emulator needs none, and nobody’s quota is spared by waiting', async () => {
    const provider = await providerFor('openai', settings({ openai: EMULATOR }), {
      OPENAI_BASE_URL: 'https://else.example',
    });
    expect(provider.account).toEqual({
      id: 'openai/emulator',
      provider: 'openai',
      baseUrl: 'http://127.0.0.1:4010/v1',
      emulator: true,
    });
    expect(provider.profile.minPollMs).toBeLessThan(1000);
  });
});

describe('B033: who pays is not guessed', () => {
  const key = { OPENAI_API_KEY: 'sk-0123456789abcdef' };

  test('each variable that says otherwise is a finding', async () => {
    const env = {
      ...key,
      OPENAI_BASE_URL: 'https://gateway.example/v1',
      OPENAI_ORG_ID: 'org-1',
      OPENAI_PROJECT_ID: 'proj-1',
    };
    const messages = await refusal('openai', settings({ openai: { ...OPENAI, project: 'proj-2' } }), env);
    expect(messages).toEqual([
      expect.stringContaining(
        'OPENAI_BASE_URL is set, but provider `openai` has no `base_url` in the settings.',
      ),
      expect.stringContaining(
        'OPENAI_ORG_ID is set, but provider `openai` has no `organization` in the settings.',
      ),
      expect.stringContaining(
        'OPENAI_PROJECT_ID is set, but provider `openai` has another `project` in the settings.',
      ),
    ]);
  });

  test('the same in both places is no quarrel', async () => {
    const of = settings({ openai: { ...OPENAI, organization: 'org-1' } });
    await expect(providerFor('openai', of, { ...key, OPENAI_ORG_ID: 'org-1' })).resolves.toBeDefined();
  });
});

describe('B033: Gemini has two names for a key, and two other services', () => {
  const key = { GEMINI_API_KEY: 'AIza-0123456789abcdef' };

  test('gemini needs no settings, only its key', async () => {
    const provider = await providerFor('gemini', settings(), key);
    expect(provider.account).toMatchObject({
      id: 'gemini/default',
      baseUrl: 'https://generativelanguage.googleapis.com',
    });
  });

  test.each([
    [{ GOOGLE_API_KEY: 'AIza-1' }, 'GOOGLE_API_KEY and GEMINI_API_KEY are set'],
    [{ GOOGLE_GENAI_USE_VERTEXAI: 'true' }, 'GOOGLE_GENAI_USE_VERTEXAI is set, which means Vertex AI'],
    [{ GOOGLE_GENAI_USE_ENTERPRISE: '1' }, 'GOOGLE_GENAI_USE_ENTERPRISE is set'],
    [
      { GOOGLE_GEMINI_BASE_URL: 'https://gateway.example' },
      'GOOGLE_GEMINI_BASE_URL is set, but provider `gemini`',
    ],
  ])('%j', async (more, message) => {
    const found = await refusal('gemini', settings(), { ...key, ...more });
    expect(found).toEqual([expect.stringContaining(`payer-ambiguous: ${message}`)]);
  });

  test.each([
    ['a switch that is off', 'GEMINI_API_KEY', { GOOGLE_GENAI_USE_VERTEXAI: 'False' }],
    ['a variable of its own', 'OUR_KEY', { OUR_KEY: 'AIza-2', GOOGLE_API_KEY: 'AIza-1' }],
    ['variables of another provider', 'GEMINI_API_KEY', { OPENAI_BASE_URL: 'https://gateway.example/v1' }],
  ])('%s is no quarrel', async (_title, apiKeyEnv, more) => {
    const of = settings({ gemini: { ...OPENAI, kind: 'gemini', apiKeyEnv } });
    await expect(providerFor('gemini', of, { ...key, ...more })).resolves.toBeDefined();
  });

  test('the account is the project that the settings name', () => {
    const of = (project: string | null) => accountOf('gemini', { ...OPENAI, kind: 'gemini', project }).id;
    expect(of(null)).toBe('gemini/default');
    expect(of('a')).not.toBe(of('b'));
  });
});

describe('Anthropic', () => {
  const ANTHROPIC: ProviderSettings = { ...OPENAI, kind: 'anthropic', apiKeyEnv: 'ANTHROPIC_API_KEY' };
  const key = { ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdef' };

  test('needs no settings, only its key', async () => {
    const { account } = await providerFor('anthropic', settings(), key);
    expect(account).toMatchObject({ id: 'anthropic/default', baseUrl: 'https://api.anthropic.com' });
  });

  test('a workspace is an account of its own, and the accounts of others keep their names', () => {
    const inWorkspace = accountOf('anthropic', { ...ANTHROPIC, workspace: 'wrkspc_1' });
    expect(inWorkspace.id).toMatch(/^anthropic\/[0-9a-f]{8}$/);
    expect(accountOf('openai', { ...OPENAI, project: 'proj-1' }).id).toBe('openai/b5ba6c01');
  });

  test('B033: two keys, another address or another workspace in the environment are refused by name', async () => {
    const env = {
      ...key,
      ANTHROPIC_AUTH_TOKEN: 'token',
      ANTHROPIC_BASE_URL: 'https://gateway.example',
      ANTHROPIC_WORKSPACE_ID: 'wrkspc_2',
    };
    const of = settings({ anthropic: { ...ANTHROPIC, workspace: 'wrkspc_1' } });
    expect(await refusal('anthropic', of, env)).toEqual([
      expect.stringContaining('ANTHROPIC_BASE_URL is set'),
      expect.stringContaining('ANTHROPIC_WORKSPACE_ID is set'),
      expect.stringContaining('ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN are set'),
    ]);
  });

  test('a key in a variable of its own is no rival of anybody', async () => {
    const of = settings({ anthropic: { ...ANTHROPIC, apiKeyEnv: 'OURS' } });
    const env = { ...key, ANTHROPIC_AUTH_TOKEN: 'token', OURS: 'sk-ant-0123456789abcdef' };
    await expect(providerFor('anthropic', of, env)).resolves.toBeDefined();
  });
});

describe('an account under the emulator flag spends nothing', () => {
  test.each([
    'http://127.0.0.1:4010/v1',
    'http://127.8.9.10/v1',
    'http://localhost:1/v1',
    'http://[::1]:4010/v1',
  ])('%s', async (baseUrl) => {
    await expect(
      providerFor('openai', settings({ openai: { ...EMULATOR, baseUrl } }), {}),
    ).resolves.toBeDefined();
  });

  test.each([
    null,
    'https://api.openai.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://10.0.0.1/v1',
    'no url',
  ])('%s is refused', async (baseUrl) => {
    const [message] = await refusal('openai', settings({ openai: { ...EMULATOR, baseUrl } }), {});
    expect(message).toMatch(/^emulator-not-loopback: /);
  });
});

describe('account names', () => {
  test.each<readonly [string, Partial<ProviderSettings>, RegExp]>([
    ['nothing said', {}, /^openai\/default$/],
    ['the default said', { baseUrl: 'https://api.openai.com/v1/' }, /^openai\/default$/],
    ['named', { account: 'batch-prod', organization: 'org-1' }, /^openai\/batch-prod$/],
    ['an organisation', { organization: 'org-1' }, /^openai\/[0-9a-f]{8}$/],
    ['a project', { project: 'proj-1' }, /^openai\/[0-9a-f]{8}$/],
    ['another server', { baseUrl: 'https://gateway.example/v1' }, /^openai\/[0-9a-f]{8}$/],
    [
      'the emulator, on whatever port',
      { baseUrl: 'http://127.0.0.1:61234/v1', emulator: true },
      /^openai\/emulator$/,
    ],
  ])('%s', (_title, changes, id) => {
    expect(accountOf('openai', { ...OPENAI, ...changes }).id).toMatch(id);
  });

  test('B034: organisation, project and server tell accounts apart, a slash at the end does not', () => {
    const ids = [
      {},
      { organization: 'a' },
      { project: 'a' },
      { organization: 'b' },
      { baseUrl: 'https://x.example' },
    ].map((changes) => accountOf('openai', { ...OPENAI, ...changes }).id);
    expect(new Set(ids).size).toBe(ids.length);
    const [one, other] = ['https://x.example/v1', 'https://x.example/v1//'].map((baseUrl) =>
      accountOf('openai', { ...OPENAI, baseUrl }),
    );
    expect(one).toEqual(other);
  });
});

test('a provider that nobody knows', () => {
  expect(() => providerSettings('opnai', settings())).toThrow(
    expect.objectContaining({
      findings: [expect.objectContaining({ code: 'unknown-provider', hint: 'Did you mean `openai`?' })],
    }),
  );
  expect(() => providerSettings('constructor', settings())).toThrow(UserError);
});

test('a plan needs neither key nor network', () => {
  const codec = codecFor('openai', settings());
  expect(codec.account.id).toBe('openai/default');
  expect(codec.profile.maxRequestsPerBatch).toBe(50_000);
  expect(codec.decode('/v1/responses', '')).toMatchObject({ wireId: null });
});
