import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { effect } from '../effects.ts';
import type { Wire } from './openai-client.ts';
import { UnreadableAnswer } from './openai-errors.ts';

export interface Downloaded {
  readonly bytes: number;
  readonly digest: string;
}

/**
 * Streams a remote file to `path`. All bytes or none: downloads that stop early and pass for whole have lost people
 * thousands of answers (openai-python#2959).
 * @throws UnreadableAnswer where the body is not as long as it was announced
 */
export async function download(wire: Wire, fileId: string, path: string): Promise<Downloaded> {
  effect('file.write', path);
  const file = await open(path, 'w');
  let whole = false;
  try {
    const got = await copied(await answerFor(wire, fileId), file);
    whole = true;
    return got;
  } finally {
    await file.close();
    if (!whole) await rm(path, { force: true });
  }
}

/**
 * Uncompressed, so that the announced length is that of the bytes. Redirects are followed here and only here: servers
 * of this shape keep files elsewhere, and fetch drops the key where the host changes.
 */
async function answerFor(wire: Wire, fileId: string): Promise<Response> {
  return wire.client.files
    .content(fileId, { headers: { 'accept-encoding': 'identity' }, fetchOptions: { redirect: 'follow' } })
    .asResponse();
}

async function copied(answer: Response, file: FileHandle): Promise<Downloaded> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    hash.update(chunk);
    await file.appendFile(chunk);
    bytes += chunk.length;
  }
  const announced = announcedBytes(answer.headers);
  if (announced !== null && announced !== bytes) {
    throw new UnreadableAnswer(`the file ended after ${bytes} of ${announced} bytes`);
  }
  return { bytes, digest: hash.digest('hex') };
}

function announcedBytes(headers: Headers): number | null {
  const encoding = headers.get('content-encoding') ?? 'identity';
  const length = headers.get('content-length');
  return length === null || encoding !== 'identity' ? null : Number(length);
}
