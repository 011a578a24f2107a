import { type Saved, saveBody } from '../save.ts';
import type { Wire } from './client.ts';

/** Streams a remote file to `path`, whole. @throws UnreadableAnswer as `saveBody` does */
export async function download(wire: Wire, fileId: string, path: string): Promise<Saved> {
  return saveBody(path, () => answerFor(wire, fileId));
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

/** The bytes that a file has by the server's list; null where it does not tell: not every one of this shape keeps one. */
export async function readFileSize(wire: Wire, fileId: string): Promise<number | null> {
  const call = await wire.once(`file ${fileId}`, () => wire.client.files.retrieve(fileId));
  if (call.kind === 'failed') return null;
  const { bytes } = call.value;
  return typeof bytes === 'number' && bytes > 0 ? bytes : null;
}
