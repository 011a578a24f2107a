import type { Finding } from '../errors.ts';
import type { Digest, ShortDigest } from '../ids.ts';

/** An immutable file in the store: its name, the digest of its bytes, its size. */
export interface StoredFile {
  readonly name: string;
  readonly digest: Digest;
  readonly bytes: number;
}

/** The frozen input list of a run, as the journal keeps it. */
export interface Manifest {
  /** Over (key, input hash, request hash) of every item in order: two manifests are equal if this is. */
  readonly digest: Digest;
  /** All rows, those set aside included. Ordinals run from 0 to `items - 1`. */
  readonly items: number;
  readonly setAside: number;
  readonly parts: readonly StoredFile[];
  /** Every column of the source in order. */
  readonly columns: readonly string[];
}

/**
 * The columns of a manifest part, a Parquet file. Published: people query them.
 *
 * | column | type | is |
 * |---|---|---|
 * | ordinal | INTEGER | the row's place in the manifest, from 0 |
 * | key | VARCHAR | the business key; several columns as a JSON array of strings |
 * | custom_id | VARCHAR | readable id: `{job}:{item_type}:{key}:{input_hash[0..8]}` |
 * | input_hash | VARCHAR | hex, 32 characters, of the row's text |
 * | request_hash | VARCHAR | hex, 32 characters, of endpoint and body; NULL where set aside |
 * | frozen | VARCHAR[] | [row as JSON, body as JSON]; neighbours in one column, so that zstd finds the text twice |
 * | body_bytes | INTEGER | of the body as UTF-8 |
 * | input_tokens | INTEGER | estimated |
 * | problem | VARCHAR | why the row was set aside (a finding's code), else NULL |
 * | problem_detail | VARCHAR | in words, else NULL |
 */
export const MANIFEST_COLUMNS = [
  'ordinal',
  'key',
  'custom_id',
  'input_hash',
  'request_hash',
  'frozen',
  'body_bytes',
  'input_tokens',
  'problem',
  'problem_detail',
] as const;

/** What a run is expected to use and cost. Money in USD at the batch price; null where the price is unknown. */
export interface Estimate {
  readonly requests: number;
  readonly inputTokens: number;
  /** Expected output, from the cap and (where there are any) the job's earlier answers. */
  readonly outputTokens: number;
  /** The most that the output caps allow. */
  readonly outputTokensCap: number;
  readonly usd: number | null;
  readonly ceilingUsd: number | null;
  /** The day of the price data, `2026-11-24`; null where the price is unknown. */
  readonly pricesOf: string | null;
}

/** A manifest in a work folder, not yet in the store: a plan throws it away, a pass puts it. */
export interface DraftManifest {
  readonly digest: Digest;
  readonly items: number;
  readonly setAside: number;
  readonly columns: readonly string[];
  /** Local paths, in order. */
  readonly parts: readonly { readonly path: string; readonly digest: Digest; readonly bytes: number }[];
  readonly estimate: Estimate;
  /** Shortest, median and longest request, rendered. */
  readonly samples: readonly RenderedRow[];
  /** The first twenty bad rows, each with row and reason, and how many there are of each code. */
  readonly findings: readonly Finding[];
  readonly problems: Readonly<Record<string, number>>;
}

export interface RenderedRow {
  readonly key: string;
  readonly requestHash: ShortDigest;
  readonly inputTokens: number;
  readonly messages: Messages;
}

/** What the prompts rendered to for one row. */
export interface Messages {
  readonly system: string | null;
  readonly user: string;
}

/**
 * Turns rendered prompts into a provider's request body, as the JSON text that will travel.
 * Pure; made once per run by the provider's `encoder`, called once per row.
 */
export type EncodeBody = (messages: Messages) => string;
