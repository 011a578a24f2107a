import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { isCode } from '../files.ts';

/**
 * What the emulator knows, as an append-only file: one JSON line per change, the last of a kind and id counts.
 * Written without fsync: it outlives a killed process, and a lost machine takes the emulator's point with it.
 */
export interface StateLog {
  table<Row>(kind: string): Table<Row>;
  close(): void;
}

export interface Table<Row> {
  get(id: string): Row | undefined;
  put(id: string, row: Row): Row;
  /** In the order in which the ids were first put. */
  all(): readonly Row[];
  size(): number;
}

interface Entry {
  readonly kind: string;
  readonly id: string;
  readonly row: unknown;
}

export function openStateLog(path: string): StateLog {
  const tables = readEntries(path);
  const file = openSync(path, 'a');
  // A torn last line of a killed process must not swallow the next one.
  writeSync(file, '\n');

  return {
    table<Row>(kind: string): Table<Row> {
      const rows = tableOf(tables, kind) as Map<string, Row>;
      return {
        get: (id) => rows.get(id),
        all: () => [...rows.values()],
        size: () => rows.size,
        put(id, row) {
          writeSync(file, `${JSON.stringify({ kind, id, row } satisfies Entry)}\n`);
          rows.set(id, row);
          return row;
        },
      };
    },
    close: () => closeSync(file),
  };
}

function readEntries(path: string): Map<string, Map<string, unknown>> {
  const tables = new Map<string, Map<string, unknown>>();
  for (const line of textOfFile(path).split('\n')) {
    const entry = entryOf(line);
    if (entry !== null) tableOf(tables, entry.kind).set(entry.id, entry.row);
  }
  return tables;
}

function textOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return '';
    throw error;
  }
}

function entryOf(line: string): Entry | null {
  try {
    return line === '' ? null : (JSON.parse(line) as Entry);
  } catch {
    return null;
  }
}

function tableOf(tables: Map<string, Map<string, unknown>>, kind: string): Map<string, unknown> {
  const known = tables.get(kind);
  if (known !== undefined) return known;
  const made = new Map<string, unknown>();
  tables.set(kind, made);
  return made;
}
