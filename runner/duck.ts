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
  /** May be called again. */
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
  return duckOf(instance, connection, () => {
    connection.closeSync();
    instance.closeSync();
  });
}

function duckOf(instance: DuckDBInstance, connection: DuckDBConnection, end: () => void): Duck {
  let isOpen = true;
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
      if (isOpen) end();
      isOpen = false;
    },
  };
}

/** Statements over less than this fit any memory; compressed files of it hold some ten times as much. */
export const SMALL_BYTES = 1_000_000;

/**
 * A DuckDB in memory for statements over so many bytes. For few of them a connection to one that the process keeps:
 * to open another takes 8 ms, longer than the statements. For many one of its own, whose memory goes back to the system
 * when it is closed. The one that is kept never swaps the sides of a join, since that loses the order of rows.
 * @param settings for one of its own alone; on the other nothing may be set
 */
export async function scratchDuck(bytes: number, options: DuckOptions, settings = ''): Promise<Duck> {
  if (bytes <= SMALL_BYTES) return sharedDuck();
  const duck = await openDuck(options);
  if (settings !== '') await duck.run(settings);
  return duck;
}

/** Which side of a join is kept in memory stays as the statement has it; swapped, the order of the other one is lost. */
export const KEEPS_BUILD_SIDE = "SET disabled_optimizers = 'build_side_probe_side'";

let shared: Promise<Duck> | null = null;

async function openShared(): Promise<Duck> {
  const duck = await openDuck({ memoryLimit: '128MB' });
  await duck.run(KEEPS_BUILD_SIDE);
  return duck;
}

async function sharedDuck(): Promise<Duck> {
  shared ??= openShared();
  try {
    const { instance } = await shared;
    const connection = await instance.connect();
    // Time zones are a connection's own.
    await connection.run("SET TimeZone = 'UTC'");
    return duckOf(instance, connection, () => connection.closeSync());
  } catch (error) {
    // A DuckDB that met an error inside itself answers nothing any more: the next one who asks gets another.
    shared = null;
    throw error;
  }
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
