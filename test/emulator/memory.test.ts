import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';

const PIECE = Buffer.alloc(1 << 20, `${'x'.repeat(1023)}\n`);
const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="b.jsonl"\r\n\r\n';
const TAIL = '\r\n--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--b--\r\n';

/** An emulator in a process of its own that says its port, and at the end of its input its greatest memory in MB. */
const PROGRAM = `
  const { startEmulator } = await import(${JSON.stringify(new URL('../../runner/emulator/server.ts', import.meta.url).href)});
  const emulator = await startEmulator();
  console.log(emulator.port);
  for await (const _ of process.stdin);
  await emulator.close();
  console.log(Math.round(process.resourceUsage().maxRSS / 1024));`;

test('an upload of the greatest size goes from the wire to the disk and is in no memory whole', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { timeout: 50_000 });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  expect(await uploadTo(Number(port), 200)).toMatchObject({ bytes: 200 << 20, purpose: 'batch' });
  child.stdin.end();
  const [megabytes] = (await once(child.stdout, 'data')) as [Buffer];
  expect(Number(megabytes)).toBeLessThan(200);
});

/** Sends the same megabyte again and again, never faster than it is taken. */
async function uploadTo(port: number, megabytes: number): Promise<unknown> {
  const headers = { authorization: 'Bearer any', 'content-type': 'multipart/form-data; boundary=b' };
  const sending = request({ host: '127.0.0.1', port, path: '/v1/files', method: 'POST', headers });
  sending.write(HEAD);
  for (let at = 0; at < megabytes; at += 1) {
    if (!sending.write(PIECE)) await once(sending, 'drain');
  }
  sending.end(TAIL);
  const [response] = await once(sending, 'response');
  return JSON.parse((await Array.fromAsync(response as AsyncIterable<Buffer>)).join(''));
}
