import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startStill } from '../../support/emulator.ts';
import { testFolder } from '../../support/folder.ts';

const LINE_BYTES = 20_000;
const LINES = 10_000;

/** A full batch: 200 MB that end in lines. */
function* bigLines(): Generator<string> {
  for (let at = 0; at < LINES; at += 1) {
    const head = `{"custom_id":"a_${at}","params":{"model":"claude-haiku-4-5","max_tokens":60,"messages":[`;
    yield `${head}{"role":"user","content":"${'x'.repeat(LINE_BYTES)}"}]}}\n`;
  }
}

test('a create does not hold its requests in memory', async () => {
  const path = join(await testFolder(), 'big.jsonl');
  await pipeline(Readable.from(bigLines()), createWriteStream(path));
  await using emulator = await startStill();
  const program = fileURLToPath(new URL('../../support/create-once.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, path, emulator.origin], {
    timeout: 50_000,
  });
  expect(Number(stdout)).toBeLessThan(220);
}, 60_000);
