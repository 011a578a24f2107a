import { writeFileSync } from 'node:fs';
import { zstdCompressSync } from 'node:zlib';
import { type IntentId, wireId } from '../../runner/ids.ts';

/** A raw file as the store keeps it. Lines without their line feeds; bytes where a line is no text. */
export function writeRaw(path: string, lines: readonly (string | Uint8Array)[], end = '\n'): string {
  const parts = lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]);
  if (end === '') parts.pop();
  writeFileSync(path, zstdCompressSync(Buffer.concat(parts)));
  return path;
}

export const INTENT = 'abcdefghij012345' as IntentId;

/** A result line with a completed response whose text is `text`. */
export function answerLine(ordinal: number, text: string, more: Record<string, unknown> = {}): string {
  return lineOf(wireId(INTENT, ordinal), {
    status_code: 200,
    body: {
      id: `resp_${ordinal}`,
      status: 'completed',
      model: 'm-2026',
      output: [{ type: 'message', content: [{ type: 'output_text', text }] }],
      usage: { input_tokens: 100, output_tokens: 10 },
      ...more,
    },
  });
}

export function errorLine(ordinal: number, code: string, status: number | null = null): string {
  const error = { code, message: `said ${code}` };
  if (status === null) return lineOf(wireId(INTENT, ordinal), null, error);
  return lineOf(wireId(INTENT, ordinal), { status_code: status, body: { error } });
}

export function lineOf(id: string, response: unknown, error: unknown = null): string {
  return JSON.stringify({ id: `batch_req_${id}`, custom_id: id, response, error });
}
