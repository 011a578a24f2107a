import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type Duck, openDuck, sqlName, sqlText } from '../../runner/duck.ts';
import type { Json, JsonObject } from '../../runner/ids.ts';
import { SINK_KINDS } from '../../runner/sink/kinds.ts';
import type { Sink, SinkContent } from '../../runner/sink/port.ts';

export interface AnsweredRow {
  readonly key: readonly string[];
  readonly pass?: readonly (string | null)[];
  readonly answer: Json | RawJson;
}

/** JSON text, where the text itself matters. */
export interface RawJson {
  readonly rawJson: string;
}

/** Sink content over rows given by value, in a DuckDB of its own. */
export function contentOf(
  duck: Duck,
  rows: readonly AnsweredRow[],
  schema: JsonObject | null,
  names: { readonly key?: readonly string[]; readonly pass?: readonly string[] } = {},
): SinkContent {
  const key = names.key ?? ['id'];
  const pass = names.pass ?? [];
  return {
    duck,
    relation: rows.map((row, at) => selectOf(row, at)).join('\nUNION ALL\n'),
    key,
    pass,
    schema,
  };
}

function selectOf(row: AnsweredRow, ordinal: number): string {
  const keys = row.key.map((value, index) => `${exactly(value)} AS key${index}`);
  const passed = (row.pass ?? []).map((value, index) => `${exactly(value)} AS pass${index}`);
  const columns = [
    `${ordinal}::INTEGER AS ordinal`,
    ...keys,
    ...passed,
    `${exactly(answerText(row.answer))} AS answer`,
    '7::INTEGER AS run',
    `'job:item:' || key0 || ':0a1b2c3d' AS custom_id`,
    `'model-2026' AS model`,
    `'00ff' AS hash`,
  ];
  return `SELECT ${columns.join(', ')}`;
}

/** As bytes: a SQL text ends at U+0000. */
function exactly(value: string | null): string {
  return value === null ? 'NULL::VARCHAR' : `decode(unhex('${Buffer.from(value).toString('hex')}'))`;
}

function answerText(answer: Json | RawJson): string {
  return isRaw(answer) ? answer.rawJson : JSON.stringify(answer);
}

function isRaw(answer: Json | RawJson): answer is RawJson {
  return typeof answer === 'object' && answer !== null && 'rawJson' in answer;
}

/** The sink of the kind that the file's ending names. */
export function sinkAt(path: string): Sink {
  return SINK_KINDS[extname(path).slice(1) as keyof typeof SINK_KINDS](path);
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'batchwright-sink-'));
}

/** Every row of a sink's file as a fresh DuckDB sees it, one column as hex so that no reader can tidy it. */
export async function readBack(path: string, columns: readonly string[]): Promise<(string | null)[][]> {
  const duck = await openDuck();
  try {
    const hex = columns.map((name, at) => `hex(${sqlName(name)}::VARCHAR) AS c${at}`);
    const rows = await duck.rows<Record<string, string | null>>(
      `SELECT ${hex.join(', ')} FROM ${reader(path)}`,
    );
    return rows.map((row) => columns.map((_, at) => textOfHex(row[`c${at}`] ?? null)));
  } finally {
    duck.close();
  }
}

/** `hex` of an empty string is an empty string, of NULL it is NULL. */
function textOfHex(hex: string | null): string | null {
  return hex === null ? null : Buffer.from(hex, 'hex').toString('utf8');
}

/** The table function that reads a sink's file, as the sink's documentation says it is to be read. */
export function reader(path: string): string {
  if (path.endsWith('.parquet')) return `read_parquet(${sqlText(path)})`;
  if (path.endsWith('.jsonl')) return `read_json(${sqlText(path)}, format='newline_delimited')`;
  return `read_csv(${sqlText(path)}, header=true, all_varchar=true, delim=',', quote='"', escape='"', nullstr='',
    allow_quoted_nulls=false)`;
}
