import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { effect } from './effects.ts';

/** An open DuckDB: the instance and one connection. Close it when done, or its lock stays. */
export interface Duck {
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  /** Runs statements for their effect. */
  run(sql: string, values?: Bound): Promise<void>;
  /** Rows as objects; BIGINT comes as bigint, so cast to INTEGER or DOUBLE what must be a number. */
  rows<Row>(sql: string, values?: Bound): Promise<Row[]>;
  close(): void;
}

export type Bound = Record<string, DuckDBValue>;

export interface DuckOptions {
  /** `:memory:` by default. */
  readonly path?: string;
  readonly readOnly?: boolean;
  readonly memoryLimit?: string;
  readonly tempFolder?: string;
  /**
   * For what stays open: whoever frees more than 8 MB at once gives it back to the system. By default DuckDB does so
   * above 512 MB, and after a few queries over a million rows 400 MB of freed pieces are the process's and nobody's.
   */
  readonly givesBack?: boolean;
}

/**
 * Opens DuckDB within our limits. One thread: a second makes the caller spin and costs 40 to 100 MB;
 * the limit does not cover Parquet buffers, so row groups are kept small where we write. UTC, or dates
 * would depend on the machine.
 */
export async function openDuck(options: DuckOptions = {}): Promise<Duck> {
  // Loaded here and not at the top: it takes 100 ms that `--help` and `validate` need not pay.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const path = options.path ?? ':memory:';
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  effect('duck.open', path);
  const instance = await DuckDBInstance.create(path, {
    threads: '1',
    memory_limit: options.memoryLimit ?? '256MB',
    temp_directory: options.tempFolder ?? join(tmpdir(), 'batchwright-duckdb'),
    enable_external_file_cache: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...(options.readOnly ? { access_mode: 'READ_ONLY' } : {}),
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'; SET allocator_background_threads = true");
  if (options.givesBack) await connection.run(GIVE_BACK);
  return {
    instance,
    connection,
    async run(sql, values) {
      await connection.run(sql, values);
    },
    async rows<Row>(sql: string, values?: Bound) {
      const reader = await connection.runAndReadAll(sql, values);
      return reader.getRowObjects() as Row[];
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

const GIVE_BACK = "SET allocator_bulk_deallocation_flush_threshold = '8MB'";

/**
 * Gives freed memory back to the system: whichever DuckDB of the process is closed, all of them let go of what they do
 * not use. Takes 10 ms; worth it after statements over very many rows, which leave 100 MB in pieces.
 */
export async function giveBackMemory(): Promise<void> {
  (await openDuck()).close();
}

/** A string as a SQL literal, for the places that take no parameter (`COPY … TO`, `read_parquet` in a view). */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as a quoted SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A list of strings as a SQL list literal. */
export function sqlTexts(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`;
}
