/** Generated from schemas/batchwright/approval.schema.json by scripts/schema-types.ts; edit the schema instead. */

/**
 * A person's word that one generation of one job may cost more than the threshold. `batchwright approve JOB` writes it; it counts once it is merged.
 */
export interface WrittenApproval {
  /**
   * The version of this file's format.
   */
  apiVersion: 'batchwright/v1';
  /**
   * The job's name, which is also the name of this file.
   */
  job: string;
  /**
   * Which version of the job was looked at; an edit of it makes another.
   */
  generation: number;
  /**
   * What was looked at, part by part: the first eight digits of each digest. Where one differs, the approval is for something else, and the report says which.
   */
  defines: {
    /**
     * Of the model and its parameters.
     */
    model: string;
    /**
     * Of the prompts' bytes.
     */
    prompt: string;
    /**
     * Of the output schema as it is sent; null: free text.
     */
    schema: string | null;
    /**
     * Of the query, the key and what becomes of bad rows.
     */
    input: string;
    /**
     * Of the kind of answer and its token cap.
     */
    output: string;
    /**
     * Of the source files' bytes.
     */
    source: string;
    /**
     * Who pays.
     */
    account: string;
  };
  /**
   * The most that all runs of this generation together may cost, in USD.
   */
  ceiling_usd: number;
  /**
   * The most requests that one run may send; null: no limit of its own.
   */
  max_requests?: number | null;
  /**
   * The last day, in UTC, on which a run may begin by this approval.
   */
  expires: string;
}
