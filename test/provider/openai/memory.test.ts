import { execFile } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MB = 1_000_000;

// With fetch's usual redirect mode this takes as much memory as the file has bytes, on top of some 80 MB.
test('an upload does not hold its file in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batchwright-upload-'));
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: `file-${bytes}` }));
    });
  });
  try {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const path = join(folder, 'big.jsonl');
    await writeFile(path, '');
    await truncate(path, 200 * MB);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const program = fileURLToPath(new URL('../../support/upload-once.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program, path, url], { timeout: 50_000 });
    expect(Number(stdout)).toBeLessThan(220);
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
