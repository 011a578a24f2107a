import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { messageOf, UserError } from '../errors.ts';
import type { ResolvedFile } from './source-files.ts';

/**
 * The path at which a file's bytes stand uncompressed: the file itself, or a copy in `work`. Readers go over a file
 * by positions and DuckDB looks at a Parquet file's end first, so a stream would not do.
 * @throws UserError where the compressed bytes are damaged or cut.
 */
export async function expanded(file: ResolvedFile, index: number, work: string): Promise<string> {
  if (file.compression === null) return file.absolute;
  const path = join(work, `expanded-${index}.${file.format}`);
  const decompress = file.compression === 'gz' ? createGunzip() : createZstdDecompress();
  try {
    await pipeline(createReadStream(file.absolute), decompress, createWriteStream(path));
  } catch (error) {
    const message = `${file.path}: cannot be decompressed: ${messageOf(error)}`;
    throw new UserError([{ level: 'error', code: 'input-unreadable', message, file: file.path }]);
  }
  return path;
}
