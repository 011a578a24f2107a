/**
 * Where journal and files are kept between passes. Three calls, and names that never change their bytes.
 * Names are relative, with forward slashes: `journal/00000042.jsonl`, `ticket-labels/runs/7/manifest-….parquet`.
 * All three may be repeated safely.
 */
export interface Store {
  readonly kind: 'local';
  /** Every name that starts with `prefix`, sorted. */
  list(prefix: string): Promise<readonly string[]>;
  /** A local path at which the bytes can be read, or null where the store has no such name. */
  get(name: string): Promise<string | null>;
  /**
   * Keeps the bytes under the name unless the name is taken; durable when it returns.
   * `exists` says nothing about whose bytes are there: the caller reads them.
   */
  putIfAbsent(name: string, source: PutSource): Promise<'put' | 'exists'>;
}

/**
 * A file is read and left where it is, but nobody may write to it afterwards: a store on the same file system keeps it
 * by a second name.
 */
export type PutSource = { readonly bytes: Uint8Array } | { readonly path: string };
