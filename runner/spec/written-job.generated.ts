/** Generated from schemas/batchwright/job.schema.json by scripts/schema-types.ts; edit the schema instead. */

/**
 * One job: what should be asked of a model, about which rows, and where the answers go. One file under jobs/.
 */
export interface WrittenJob {
  /**
   * The version of this file's format.
   */
  apiVersion: 'batchwright/v1';
  /**
   * The job's identity: moving the file changes nothing, changing the name is another job (see moved_from). Lower-case letters, digits and hyphens, at most 63.
   */
  name: string;
  /**
   * Who answers for the job and whose monthly budget it uses: a team or a person.
   */
  owner: string;
  /**
   * What the job is for, in a sentence; stands at the top of its report.
   */
  description?: string | null;
  /**
   * Names and texts of your own for grouping in reports: customer, cost center. They change no request.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * The kind of work; decides which sections the report has. Default: extraction where the output has a schema, generation for text, embedding for embeddings, classification for moderations.
   */
  task?: 'classification' | 'extraction' | 'generation' | 'embedding';
  /**
   * How long the answers may take.
   */
  sla?: {
    /**
     * offline: answers in hours to days, at the batch price. It is the only class: batch APIs promise nothing faster.
     */
    class?: 'offline';
    /**
     * From freezing the rows to applying the answers; a late job is shown as late. A number with m, h or d.
     */
    deadline?: string;
    /**
     * What happens to batches that are still under way at the deadline: wait goes on waiting and shows the job as late; cancel_and_resubmit cancels those sent before it, keeps what they did, and sends the rest again once.
     */
    on_deadline?: 'wait' | 'cancel_and_resubmit';
    /**
     * A batch that has not ended this long after its creation counts as stuck; the report says so. A number with m, h or d.
     */
    stuck_after?: string;
    /**
     * What happens to a stuck batch: wait, since stuck batches often end after all; or cancel_and_resubmit, which sends its items again only after the provider has confirmed the end of the first.
     */
    on_stuck?: 'wait' | 'cancel_and_resubmit';
  };
  /**
   * Which job's shards are sent first where the queue has no room for all.
   */
  priority?: 'low' | 'normal' | 'high';
  /**
   * The model: `provider/name`, or a mapping with parameters. Everything in it defines the request, so a change is a new run.
   */
  model:
    | string
    | {
        /**
         * A name under `providers` in batchwright.yaml; `openai` needs no settings. Default: what stands before the `/` in `name`.
         */
        provider?: string;
        /**
         * The model's name as the provider writes it; `provider/name` where `provider` is left out.
         */
        name: string;
        /**
         * The provider's API that each request is written for. Default: the provider's usual one for this kind of output.
         */
        endpoint?:
          | '/v1/responses'
          | '/v1/chat/completions'
          | '/v1/embeddings'
          | '/v1/moderations'
          | '/v1/messages'
          | 'generateContent'
          | 'embedContent';
        /**
         * 0 to 2; null: not sent, the provider's default holds.
         */
        temperature?: number | null;
        /**
         * How much the model thinks before it answers; its thoughts are billed as output. null: not sent.
         */
        reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | null;
        /**
         * Asks for repeatable sampling; taken by /v1/chat/completions only. null: not sent.
         */
        seed?: number | null;
        /**
         * The provider's own fields, merged into each request body over the neutral ones and shown in the plan.
         */
        raw?: {
          [k: string]: unknown;
        };
      };
  /**
   * The rows: one request each.
   */
  input: {
    /**
     * Paths or globs from the repository's root: CSV, TSV, JSON, JSONL or Parquet, also compressed.
     *
     * @minItems 1
     */
    files: string | string[];
    /**
     * One SELECT over the view `input`, which has every row of the files; null: all rows as they are.
     */
    sql?: string | null;
    /**
     * The column, or the columns together, that name a row: answers are matched and reused by it.
     *
     * @minItems 1
     */
    key: string | string[];
    /**
     * What a row is, in a word; a part of the readable id.
     */
    item_type?: string;
    /**
     * Columns that are copied to the sinks beside the answer. They do not reach the prompt by this.
     */
    pass?: string | string[];
    /**
     * A row that cannot be sent (no key, key twice, too long): stop: nothing is sent; set_aside: the row is listed in the report, the others are sent.
     */
    on_bad_row?: 'stop' | 'set_aside';
    /**
     * on_change: changed source files are a new run; once: only the first reading counts; manual: only `rerun` reads again.
     */
    refresh?: 'on_change' | 'once' | 'manual';
    /**
     * Adds a column of this name that holds the path of each row's file; null: none.
     */
    filename_column?: string | null;
  };
  /**
   * The prompt: the name of a folder under prompts/ with user.hbs and (if wanted) system.hbs, or both paths. Templates are Handlebars; `{{> tone}}` takes in prompts/partials/tone.hbs.
   */
  prompt:
    | string
    | {
        /**
         * The path of the system prompt from prompts/; null: none is sent.
         */
        system?: string | null;
        /**
         * The path of the user prompt from prompts/; it is filled in for each row.
         */
        user: string;
      };
  /**
   * What an answer is: JSON that follows a schema, free text, an embedding or a moderation. Exactly one of `schema`, `text`, `embedding` and `moderation`.
   */
  output: {
    /**
     * The path of a JSON Schema from schemas/; each answer is checked against it.
     */
    schema?: string;
    /**
     * true: the answer is free text.
     */
    text?: true;
    /**
     * The answer is the embedding of the user prompt, a list of numbers. true: with as many as the model gives.
     */
    embedding?:
      | boolean
      | {
          /**
           * How many numbers; each answer is checked for it. null: not sent, the model's own number holds.
           */
          dimensions?: number | null;
        };
    /**
     * true: the answer says whether the user prompt is flagged, and for what.
     */
    moderation?: true;
    /**
     * The most tokens that one answer may have, thoughts included. Sets the ceiling of the estimate. Embeddings and moderations have none.
     */
    max_tokens?: number;
  };
  /**
   * Where the answers go. Default: one Parquet file, out/<name>.parquet.
   *
   * @minItems 1
   */
  sinks?: {
    /**
     * The form of the file.
     */
    kind: 'parquet' | 'jsonl' | 'csv';
    /**
     * The file, from the repository's root. It is written whole; nothing else may write it. Default: out/<name>.<kind>.
     */
    path?: string;
    /**
     * Rows whose key is gone from the input: keep the last answer, keep it and say in the column `_retired` since which run it is gone, or delete the row.
     */
    on_removed?: 'keep' | 'mark' | 'delete';
  }[];
  /**
   * Limits of this job; they may only lower what batchwright.yaml says. null: as the settings say.
   */
  budget?: {
    /**
     * The most that one run may cost at the batch price, retries included.
     */
    per_run_usd?: number | null;
    /**
     * The most that this job may cost in a calendar month (UTC).
     */
    per_month_usd?: number | null;
    /**
     * The most rows that one run may have.
     */
    max_items?: number | null;
    /**
     * A run whose ceiling is higher waits for an approval.
     */
    approve_above_usd?: number | null;
  };
  /**
   * A few rows that are sent first whenever prompt, model or schema is new; the rest waits for their answers. false: none.
   */
  canary?:
    | boolean
    | {
        /**
         * How many rows.
         */
        items?: number;
        /**
         * The share of them, 0 to 1, that must have a valid answer before the rest is sent.
         */
        min_valid?: number;
        /**
         * batch: as the rest goes. live: through the synchronous API, at its price, so that a wrong model name or parameter shows within seconds.
         */
        via?: 'batch' | 'live';
      };
  /**
   * How the rows are cut into provider batches.
   */
  shard?: {
    /**
     * The most rows in one batch; null: as many as the provider takes.
     */
    max_items?: number | null;
    /**
     * The most batches of this job that are at the provider at once.
     */
    max_in_flight?: number;
  };
  /**
   * What is tried again by itself. Refused and invalid requests never are: they would be paid for the same result.
   */
  retry?: {
    /**
     * Tries of one row in one run, the first included.
     */
    max_attempts?: number;
    /**
     * Further tries after an answer that breaks the schema.
     */
    invalid_output?: number;
    /**
     * One more try, with this higher cap, for an answer that stopped at `output.max_tokens`; null: the row is held for a person.
     */
    truncated?: {
      /**
       * The cap of that try; higher than `output.max_tokens`.
       */
      max_tokens: number;
    } | null;
    /**
     * What is done about rows whose result cannot be read, though all else of their batch was: their answers may have been paid for.
     */
    unreadable?: {
      /**
       * Up to this share of a batch's rows, and at least one row, goes again once by itself; 0: never, a person decides.
       */
      share?: number;
    };
  };
  /**
   * Nothing new is sent or applied while this stands; what is in flight is still collected. A reason, or a mapping. null: not suspended.
   */
  suspend?:
    | string
    | {
        /**
         * Why; stands in every report.
         */
        reason: string;
        /**
         * The day (UTC) or the instant from which the job goes on by itself; null: until the section is removed.
         */
        until?: string | null;
      }
    | null;
  /**
   * The job's former name, so that a new name keeps its answers and its books; null: it was never renamed.
   */
  moved_from?: string | null;
}
