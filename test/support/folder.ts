import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A real, empty folder that goes when the test ends. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'batchwright-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
