/** Generated from schemas/batchwright/settings.schema.json by scripts/schema-types.ts; edit the schema instead. */

/**
 * batchwright.yaml at the repository's root: what holds for all jobs. The file may be absent; then every default holds.
 */
export interface WrittenSettings {
  /**
   * The version of this file's format.
   */
  apiVersion?: 'batchwright/v1';
  /**
   * Where journal and files are kept between passes.
   */
  store?: {
    /**
     * local: a folder. git-ref: branches of a git remote, so that any clone can go on with the work.
     */
    kind?: 'local' | 'git-ref';
    /**
     * The folder of the pages, from the repository's root; for `local` also of journal and files.
     */
    path?: string;
    /**
     * git-ref: the git remote of the checkout that keeps the state. Default: origin.
     */
    remote?: string;
    /**
     * git-ref: what the names of its refs begin with. Default: refs/heads/batch-state.
     */
    prefix?: string;
    /**
     * git-ref: the name of the environment variable that holds a token for the remote. Never the token. Default: the credentials of the checkout.
     */
    token_env?: string | null;
    /**
     * git-ref: the most that the files of all runs may take, in GB; a run that would not fit is refused before it is paid. Default: 5, which is also the most.
     */
    max_gb?: number;
    /**
     * git-ref: how long the files of a run are kept after its last change, before `state prune` may drop them. Default: 30d.
     */
    retention?: string;
  };
  /**
   * Only the tip of this branch may send, prune or apply; null: whatever is checked out may.
   */
  branch?: string | null;
  /**
   * Accounts by a name of your choice, which jobs use in `model`. Each kind is there under its own name without being written.
   */
  providers?: {
    [k: string]: {
      /**
       * Which provider's API the account speaks.
       */
      kind: 'openai' | 'anthropic' | 'gemini';
      /**
       * The API's address, with its version for OpenAI and kin, without for Gemini; null: the provider's own.
       */
      base_url?: string | null;
      /**
       * The name of the environment variable that holds the key. Never the key.
       */
      api_key_env?: string;
      /**
       * The account's name in journal and reports; null: made from address, organization and project.
       */
      account?: string | null;
      /**
       * Sent as the OpenAI-Organization header; null: the key's own.
       */
      organization?: string | null;
      /**
       * Who pays: sent as the OpenAI-Project header; for Gemini the name of the key's project. null: the key's own.
       */
      project?: string | null;
      /**
       * Anthropic: sent as the anthropic-workspace-id header; null: the key's own.
       */
      workspace?: string | null;
      /**
       * true: its answers are made up and its money never counts as spend.
       */
      emulator?: boolean;
    };
  };
  /**
   * What is known of single models, by `provider/name`; overrides the dated price package.
   */
  models?: {
    [k: string]: {
      /**
       * The synchronous price; the batch price is this times `batch_factor`. null: from the price package.
       */
      price?: {
        /**
         * USD for a million input tokens.
         */
        input_usd_per_mtok: number;
        /**
         * USD for a million output tokens.
         */
        output_usd_per_mtok: number;
      } | null;
      /**
       * The batch price as a share of the synchronous one; null: the provider's own (OpenAI: 0.5).
       */
      batch_factor?: number | null;
      /**
       * The longest input in tokens; longer rows are refused before they cost. null: not checked.
       */
      context_tokens?: number | null;
    };
  };
  /**
   * Limits that hold for every job; a job may only lower them. null: no limit.
   */
  budgets?: {
    /**
     * The most that one run of any job may cost.
     */
    per_run_usd?: number | null;
    /**
     * The most that all jobs together may cost in a calendar month (UTC).
     */
    per_month_usd?: number | null;
    /**
     * The most rows that one run of any job may have.
     */
    max_items?: number | null;
    /**
     * A run whose ceiling is higher waits for an approval.
     */
    approve_above_usd?: number | null;
    /**
     * Monthly limits by owner.
     */
    owners?: {
      [k: string]: {
        /**
         * The most that this owner's jobs together may cost in a calendar month (UTC).
         */
        per_month_usd: number;
      };
    };
  };
  /**
   * What no job may do.
   */
  policy?: {
    /**
     * Columns that never reach a prompt, in any job.
     */
    never_send?: string[];
    /**
     * Folders outside the repository, as absolute paths, that jobs may read or write.
     */
    allowed_roots?: string[];
  };
  /**
   * What the committed reports show.
   */
  report?: {
    /**
     * Business keys in committed reports: shown as they are, or hashed.
     */
    keys?: 'shown' | 'hashed';
    /**
     * How many answered rows stand in a report as a sample; they are customer data.
     */
    samples?: number;
    /**
     * Where `reconcile --commit` puts the pages: a commit on the branch that acts, or a pull request into it that is kept up to date.
     */
    target?: 'branch' | 'pull_request';
    /**
     * The name of the environment variable that holds a token for pushing pages and for the pull request; null: what `store.token_env` names, else the checkout's own credentials.
     */
    token_env?: string | null;
  };
  /**
   * Suspends every job: nothing new is sent or applied while this stands; what is in flight is still collected. A reason, or a mapping. null: each job by itself.
   */
  suspend?:
    | string
    | {
        /**
         * Why; stands in every report.
         */
        reason: string;
        /**
         * The day (UTC) or the instant from which jobs go on by themselves; null: until the section is removed.
         */
        until?: string | null;
      }
    | null;
}
