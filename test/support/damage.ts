import { readFile, rm, writeFile } from 'node:fs/promises';

/** What may happen to a file on a disk. */
export const DAMAGES = ['missing', 'cut', 'flipped'] as const;
export type Damage = (typeof DAMAGES)[number];

/** Damages a file; what is given back brings it back as it was. */
export async function damage(path: string, how: Damage): Promise<() => Promise<void>> {
  const bytes = await readFile(path);
  await rm(path);
  if (how === 'cut') await writeFile(path, bytes.subarray(0, bytes.length >> 1));
  if (how === 'flipped') await writeFile(path, flipped(bytes, Math.floor(bytes.length / 3)));
  return async () => {
    await rm(path, { force: true });
    await writeFile(path, bytes);
  };
}

/** The same bytes but for one bit. */
export function flipped(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes);
  other[at] = (other[at] ?? 0) ^ 0x20;
  return other;
}
