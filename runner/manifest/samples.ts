import type { Duck } from '../duck.ts';
import { scratchDuck, sqlTexts } from '../duck.ts';
import type { ShortDigest } from '../ids.ts';
import { parseExact } from './exact-json.ts';
import type { RenderedRow } from './manifest.ts';
import type { Part } from './parts.ts';
import type { Renderer } from './render.ts';

/** The shortest, the median and the longest request, rendered again from the frozen rows. */
export async function sampleRows(
  parts: readonly Part[],
  renderer: Renderer,
  tempFolder: string,
): Promise<RenderedRow[]> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const duck = await scratchDuck(bytes, { memoryLimit: '128MB', tempFolder });
  try {
    const ordinals = await sampleOrdinals(duck, parts);
    const rows = await rowsAt(duck, parts, ordinals);
    return rows.map((row) => ({
      key: row.key,
      requestHash: row.request_hash,
      inputTokens: row.input_tokens,
      messages: renderer.messages(parseExact(row.row) as Record<string, unknown>),
    }));
  } finally {
    duck.close();
  }
}

/** Each once, shortest first; fewer than three where there are fewer requests. */
async function sampleOrdinals(duck: Duck, parts: readonly Part[]): Promise<number[]> {
  const [found] = await duck.rows<Record<'shortest' | 'median' | 'longest', number | null>>(`
    WITH request AS (
      SELECT ordinal, body_bytes FROM read_parquet(${pathsOf(parts)}) WHERE request_hash IS NOT NULL
    )
    SELECT arg_min(ordinal, body_bytes) AS shortest, arg_max(ordinal, body_bytes) AS longest,
      (SELECT min(ordinal) FROM request
       WHERE body_bytes = (SELECT quantile_disc(body_bytes, 0.5) FROM request)) AS median
    FROM request`);
  const ordinals = [found?.shortest, found?.median, found?.longest];
  return [...new Set(ordinals.filter((ordinal) => ordinal !== null && ordinal !== undefined))];
}

interface SampleRow {
  readonly key: string;
  readonly request_hash: ShortDigest;
  readonly input_tokens: number;
  readonly row: string;
}

async function rowsAt(duck: Duck, parts: readonly Part[], ordinals: readonly number[]): Promise<SampleRow[]> {
  if (ordinals.length === 0) return [];
  return duck.rows<SampleRow>(`
    SELECT key, request_hash, input_tokens, frozen[1] AS row FROM read_parquet(${pathsOf(parts)})
    WHERE ordinal IN (${ordinals.join(', ')}) ORDER BY body_bytes, ordinal`);
}

function pathsOf(parts: readonly Part[]): string {
  return sqlTexts(parts.map((part) => part.path));
}
