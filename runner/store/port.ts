/**
 * Where journal and files are kept between passes. Three calls, and names that never change their bytes.
 * Names are relative, with forward slashes: `journal/00000042.jsonl`, `ticket-labels/runs/7/manifest-….parquet`.
 * All three may be repeated safely.
 */
export interface Store {
  readonly kind: 'local' | 'git-ref';
  /** Where it is, for people. */
  readonly place: string;
  /** Every name that starts with `prefix`, sorted; asks the world anew. */
  list(prefix: string): Promise<readonly string[]>;
  /** A local path at which the bytes can be read as long as the session lives, or null where there is no such name. */
  get(name: string): Promise<string | null>;
  /**
   * Keeps the bytes under the name unless the name is taken. A segment of the journal is durable when this returns; any
   * other file at the latest before the next segment is there for anyone to read, so that no segment can ever name a
   * file that is not kept.
   * `exists` says nothing about whose bytes are there: the caller reads them.
   * @throws StateConflict where the store cannot be reached, refuses, or holds other bytes under the name of a file
   */
  putIfAbsent(name: string, source: PutSource): Promise<'put' | 'exists'>;
  /** The same for many, in this order, where it costs less than one by one. */
  putInOrder(files: readonly NamedSource[]): Promise<void>;
  /** Forgets every file that was put below a run's folder (`ticket-labels/runs/7`), whatever the journal says of them. */
  dropRun(folder: string): Promise<void>;
}

export interface NamedSource {
  readonly name: string;
  readonly source: PutSource;
}

/**
 * A file is read and left where it is, but nobody may write to it afterwards: a store on the same file system keeps it
 * by a second name.
 */
export type PutSource = { readonly bytes: Uint8Array } | { readonly path: string };
