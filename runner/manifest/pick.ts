import { type Duck, openDuck, sqlTexts } from '../duck.ts';
import { userError } from '../errors.ts';
import type { ShortDigest } from '../ids.ts';
import { listed } from '../spec/suggest.ts';
import type { DraftManifest } from './manifest.ts';

/** A frozen row, ready to be asked. */
export interface PickedRow {
  readonly ordinal: number;
  readonly key: string;
  readonly requestHash: ShortDigest;
  readonly inputTokens: number;
  readonly body: string;
}

/** These rows, or so many that are spread from the shortest request to the longest. */
export type RowChoice = { readonly keys: readonly string[] } | { readonly rows: number };

/**
 * A few rows of a draft. The same data gives the same rows, so that two versions of a prompt are compared by them.
 * @throws UserError where a key is none that can be sent
 */
export async function pickRows(
  { parts }: Pick<DraftManifest, 'parts'>,
  choice: RowChoice,
  tempFolder: string,
): Promise<PickedRow[]> {
  const duck = await openDuck({ memoryLimit: '128MB', tempFolder });
  const source = `(SELECT * FROM read_parquet(${sqlTexts(parts.map(({ path }) => path))}) WHERE request_hash IS NOT NULL)`;
  try {
    return 'keys' in choice
      ? await rowsOfKeys(duck, source, choice.keys)
      : await rowsWhere(duck, source, `ordinal IN (${await spreadOrdinals(duck, source, choice.rows)})`);
  } finally {
    duck.close();
  }
}

/** The places in the order of length: the first, the last, and even steps between; of one alone the middle. */
async function spreadOrdinals(duck: Duck, source: string, rows: number): Promise<string> {
  const [counted] = await duck.rows<{ n: number }>(`SELECT count(*)::INTEGER AS n FROM ${source}`);
  const last = (counted?.n ?? 0) - 1;
  const step = rows === 1 ? 0 : last / (rows - 1);
  const ranks = rows === 1 ? [last >> 1] : Array.from({ length: rows }, (_, at) => Math.round(at * step));
  const found = await duck.rows<{ ordinal: number }>(
    `SELECT ordinal FROM (SELECT ordinal, row_number() OVER (ORDER BY body_bytes, ordinal) - 1 AS rank FROM ${source})
     WHERE rank IN (${[...new Set(ranks)].join(', ')})`,
  );
  return found.map(({ ordinal }) => ordinal).join(', ') || 'NULL';
}

async function rowsOfKeys(duck: Duck, source: string, keys: readonly string[]): Promise<PickedRow[]> {
  const found = await rowsWhere(duck, source, `key IN (${listOf(keys)})`);
  const missing = keys.filter((key) => !found.some((row) => row.key === key));
  if (missing.length === 0) return found;
  throw userError(
    'unknown-key',
    `No row that can be sent has the key ${listed(missing.map((key) => JSON.stringify(key)))}.`,
    'A key of several columns is written as a JSON list, as in --key \'["TK-1","2"]\'; `batchwright plan` tells which rows are bad.',
  );
}

function listOf(keys: readonly string[]): string {
  return sqlTexts(keys).slice(1, -1);
}

function rowsWhere(duck: Duck, source: string, condition: string): Promise<PickedRow[]> {
  return duck.rows<PickedRow>(
    `SELECT ordinal, key, request_hash AS "requestHash", input_tokens AS "inputTokens", frozen[2] AS body
     FROM ${source} WHERE ${condition} ORDER BY body_bytes, ordinal`,
  );
}
