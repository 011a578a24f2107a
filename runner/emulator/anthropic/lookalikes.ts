import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { linesOfFile, textOf } from '../../lines.ts';
import type { Own, Register } from '../batch/register.ts';
import { openBlockWriter } from '../block-writer.ts';
import type { World } from '../face.ts';
import { hexOf } from '../seed.ts';
import type { AnthropicBatch } from './types.ts';

/**
 * Somebody else's batches of the same workspace, the same moment and the same count: from outside nothing tells them
 * from the caller's own, until their results show other ids. They cost the caller nothing.
 */
export async function addLookalikes(
  world: World,
  register: Register<AnthropicBatch>,
  own: Own<AnthropicBatch>,
  count: number,
): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const inputPath = join('batches', `${randomUUID()}.input.jsonl`);
    copyWithOtherIds(join(world.dir, own.inputPath ?? ''), join(world.dir, inputPath), `${made}`);
    register.add({ ...own, inputPath, foreign: true }, {});
  }
}

/** Ids of the same length and letters. */
function copyWithOtherIds(from: string, to: string, salt: string): void {
  const writer = openBlockWriter(to);
  try {
    for (const line of linesOfFile(from)) {
      const text = textOf(line) ?? '';
      const { custom_id: id } = JSON.parse(text) as { readonly custom_id: string };
      const other = hexOf(`foreign ${salt} ${id}`).slice(0, id.length);
      writer.write(`${text.replace(JSON.stringify(id), JSON.stringify(other))}\n`);
    }
  } finally {
    writer.close();
  }
}
