import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { linesOfFile, textOf } from '../../../runner/lines.ts';
import { batchViewOf } from '../../../runner/provider/openai/batch.ts';
import { decode } from '../../../runner/provider/openai/decode.ts';

/**
 * Result lines and batches in the shapes of servers that nobody here wrote, seen at OGX 1.5.0, AIBrix 0.8.0, LiteLLM
 * 1.105.7 and aimock 1.43.0; what they say is invented.
 */
const FOLDER = new URL('../../fixtures/provider/openai/foreign/', import.meta.url);

function linesIn(name: string): string[] {
  const path = fileURLToPath(new URL(name, FOLDER));
  return Array.from(linesOfFile(path), (line) => textOf(line) ?? '');
}

describe('lines of foreign servers, and what they are read as', () => {
  test.each([
    ['ogx-chat', '/v1/chat/completions'],
    ['ogx-embeddings', '/v1/embeddings'],
    ['aibrix-chat', '/v1/chat/completions'],
    ['aimock-responses', '/v1/responses'],
    ['aimock-embeddings', '/v1/embeddings'],
  ] as const)('%s', async (name, endpoint) => {
    const replies = linesIn(`${name}.jsonl`).map((line) => decode(endpoint, line));
    expect(replies.filter(({ result }) => result.kind === 'malformed')).toEqual([]);
    const shown = replies.map((reply) => `${JSON.stringify(reply, null, 1)}\n`).join('');
    await expect(shown).toMatchFileSnapshot(fileURLToPath(new URL(`${name}.replies.txt`, FOLDER)));
  });
});

describe('batches of foreign servers', () => {
  const batches = linesIn('batches.jsonl').map(
    (line) => JSON.parse(line) as { readonly server: string; readonly batch: unknown },
  );
  const expected: Readonly<Record<string, object>> = {
    'ogx, just made': { state: 'validating', progress: null, expiresAt: null, endedAt: null },
    'ogx, ended, with an empty error file': {
      state: 'completed',
      outputFileId: 'file-2',
      errorFileId: 'file-3',
      endedAt: '2026-09-21T14:14:20.000Z',
      progress: { total: 6, done: 6, failed: 0 },
    },
    'aibrix, queued': { state: 'submitted', providerState: 'scheduling', progress: null },
    'aibrix, ended with errors alone': {
      state: 'completed',
      outputFileId: null,
      errorFileId: 'err-1',
      progress: { total: 2, done: 0, failed: 2 },
    },
    'litellm, failed as a whole': {
      state: 'failed',
      intent: null,
      progress: null,
      errors: [{ code: 'invalid_input_file', message: 'input file not found', line: null, about: 'server' }],
    },
    'aimock, ended': { state: 'completed', outputFileId: 'file-10', errorFileId: null },
  };

  test.each(batches)('$server', ({ server, batch }) => {
    expect(expected[server], 'each line has its expectation').toBeDefined();
    expect(batchViewOf(batch, null)).toMatchObject(expected[server] ?? {});
  });
});
