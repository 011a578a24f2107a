import type { Job } from './job.ts';
import type { ProviderKind } from './profiles.ts';

/** The repository's settings as code uses them; `batchwright.yaml` may be absent, then all defaults hold. */
export interface Settings {
  readonly store: StoreSettings;
  /** Only the tip of this branch may submit; null: whatever is checked out. */
  readonly branch: string | null;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** By `<provider>/<model>`. */
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly budgets: {
    readonly perRunUsd: number | null;
    readonly perMonthUsd: number | null;
    readonly maxItems: number | null;
    readonly approveAboveUsd: number | null;
    readonly owners: Readonly<Record<string, { readonly perMonthUsd: number }>>;
  };
  readonly policy: {
    /** Columns that never reach a prompt, in any job. */
    readonly neverSend: readonly string[];
    /** Folders outside the repository that jobs may read or write. */
    readonly allowedRoots: readonly string[];
  };
  readonly report: ReportSettings;
  /** Of every job at once. */
  readonly suspend: Job['suspend'];
}

export interface ReportSettings {
  readonly keys: 'shown' | 'hashed';
  readonly samples: number;
  /** Where pages are committed to. */
  readonly target: 'branch' | 'pull_request';
  /** The variable of the token that pushes them; null: as the store's, else the checkout's own credentials. */
  readonly tokenEnv: string | null;
}

export type StoreSettings =
  /** `path`: of pages, journal and files, from the root. */
  { readonly kind: 'local'; readonly path: string } | GitRefSettings;

export interface GitRefSettings {
  readonly kind: 'git-ref';
  /** Of the pages, from the root. */
  readonly path: string;
  /** The name of the checkout's remote that keeps the state. */
  readonly remote: string;
  /** `refs/heads/batch-state` */
  readonly prefix: string;
  /** The environment variable that holds a token for the remote; null: the checkout's own credentials. */
  readonly tokenEnv: string | null;
  /** The most that the files of all runs may take. */
  readonly maxBytes: number;
  /** How long a run's files are kept after its last change. */
  readonly retentionMs: number;
}

export interface ProviderSettings {
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string;
  /** The account's name in journal and reports; null: derived from URL, organisation and project. */
  readonly account: string | null;
  readonly organization: string | null;
  readonly project: string | null;
  /** Anthropic's; null: the key's own. */
  readonly workspace: string | null;
  /** Its money is marked and never counts as spend. */
  readonly emulator: boolean;
}

export interface ModelSettings {
  /** USD per million tokens at the synchronous price; null: from the price package. */
  readonly price: { readonly inputUsd: number; readonly outputUsd: number } | null;
  /** The batch price as a share of the synchronous one; null: from the provider's profile. */
  readonly batchFactor: number | null;
  /** Longest input in tokens; null: unknown, not checked. */
  readonly contextTokens: number | null;
}
