import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { decodeSegment, encodeSegment } from '../../runner/journal/segment.ts';

/** Writes a journal again as another version would have written it, its chain whole. */
export async function rewriteJournal(
  root: string,
  change: (event: JournalEvent) => JournalEvent,
): Promise<void> {
  const folder = join(root, 'state/journal');
  let previous: Digest | null = null;
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort()) {
    const path = join(folder, file);
    const { header, events } = decodeSegment(`journal/${file}`, await readFile(path), undefined);
    const bytes = encodeSegment({ ...header, previous }, events.map(change));
    await writeFile(path, bytes);
    previous = decodeSegment(`journal/${file}`, bytes, previous).digest;
  }
}
