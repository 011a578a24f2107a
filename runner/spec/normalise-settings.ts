import { durationMs } from './duration.ts';
import { normaliseSuspend } from './normalise.ts';
import { PROFILES, PROVIDER_KINDS, type ProviderKind } from './profiles.ts';
import type { ModelSettings, ProviderSettings, Settings, StoreSettings } from './settings.ts';
import type { WrittenSettings } from './written-settings.generated.ts';

/** Each kind under its own name, without settings. */
const BUILT_IN: Written<'providers'> = Object.fromEntries(PROVIDER_KINDS.map((kind) => [kind, { kind }]));

type Written<Name extends keyof WrittenSettings> = NonNullable<WrittenSettings[Name]>;

/** Valid written settings with every default filled in; `{}` is a repository without batchwright.yaml. */
export function normaliseSettings(written: WrittenSettings): Settings {
  return {
    store: normaliseStore(written.store ?? {}),
    branch: written.branch ?? null,
    providers: mapped({ ...BUILT_IN, ...written.providers }, normaliseProvider),
    models: mapped(written.models ?? {}, normaliseModel),
    budgets: normaliseBudgets(written.budgets ?? {}),
    policy: {
      neverSend: written.policy?.never_send ?? [],
      allowedRoots: written.policy?.allowed_roots ?? [],
    },
    report: {
      keys: written.report?.keys ?? 'shown',
      samples: written.report?.samples ?? 50,
      target: written.report?.target ?? 'branch',
      tokenEnv: written.report?.token_env ?? null,
    },
    suspend: normaliseSuspend(written.suspend ?? null),
  };
}

/**
 * GitHub recommends repositories of less than 1 GB, and strongly less than 5 GB (docs.github.com, "Repository limits",
 * 2026-11). Settings can only lower it: a repository that is too large hurts everyone who clones it.
 */
const MOST_GIT_BYTES = 5_000_000_000;

function normaliseStore(written: Written<'store'>): StoreSettings {
  const path = written.path ?? 'state';
  if (written.kind !== 'git-ref') return { kind: 'local', path };
  return {
    kind: 'git-ref',
    path,
    remote: written.remote ?? 'origin',
    prefix: written.prefix ?? 'refs/heads/batch-state',
    tokenEnv: written.token_env ?? null,
    maxBytes: written.max_gb === undefined ? MOST_GIT_BYTES : written.max_gb * 1e9,
    retentionMs: durationMs(written.retention ?? '30d'),
  };
}

/** As entries: a name such as `__proto__` must stay a plain name. */
function mapped<From, To>(
  record: Readonly<Record<string, From>>,
  to: (from: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]));
}

/** A provider of which the settings say no more than its kind: the nine-line job needs no settings file. */
export function providerDefaults(kind: ProviderKind): ProviderSettings {
  return normaliseProvider({ kind });
}

function normaliseProvider(written: Written<'providers'>[string]): ProviderSettings {
  return {
    kind: written.kind,
    baseUrl: written.base_url ?? null,
    apiKeyEnv: written.api_key_env ?? PROFILES[written.kind].apiKeyEnv,
    account: written.account ?? null,
    organization: written.organization ?? null,
    project: written.project ?? null,
    workspace: written.workspace ?? null,
    emulator: written.emulator ?? false,
  };
}

function normaliseModel(written: Written<'models'>[string]): ModelSettings {
  const { price } = written;
  return {
    price:
      price == null ? null : { inputUsd: price.input_usd_per_mtok, outputUsd: price.output_usd_per_mtok },
    batchFactor: written.batch_factor ?? null,
    contextTokens: written.context_tokens ?? null,
  };
}

function normaliseBudgets(written: Written<'budgets'>): Settings['budgets'] {
  return {
    perRunUsd: written.per_run_usd ?? null,
    perMonthUsd: written.per_month_usd ?? null,
    maxItems: written.max_items ?? null,
    approveAboveUsd: written.approve_above_usd ?? null,
    owners: mapped(written.owners ?? {}, ({ per_month_usd }) => ({ perMonthUsd: per_month_usd })),
  };
}
