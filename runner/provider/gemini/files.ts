import { fieldsOf, objectOf } from '../fields.ts';
import type { Call, ProviderError } from '../port.ts';
import { type Saved, saveBody } from '../save.ts';
import { RefusedCall, type Wire } from './client.ts';

/**
 * Streams a result file to `path`, whole. A file that is gone is a call that failed with 404, whatever the server says.
 * @throws UnreadableAnswer as `saveBody` does
 */
export async function download(wire: Wire, fileId: string, path: string): Promise<Call<Saved>> {
  const call = await wire.safely(`download ${fileId}`, () =>
    saveBody(path, () =>
      wire.open({
        method: 'GET',
        path: `${fileId}:download`,
        query: { alt: 'media' },
        // Uncompressed, so that the announced length is that of the bytes.
        headers: { 'accept-encoding': 'identity' },
      }),
    ),
  );
  if (call.kind === 'ok' || !(await isGone(wire, call, fileId))) return call;
  return { kind: 'failed', error: { ...call.error, status: 404, about: 'request' } };
}

/** The bytes that a file has by the server's own word; null where it does not tell. */
export async function readFileSize(wire: Wire, fileId: string): Promise<number | null> {
  const call = isUnnameable(fileId)
    ? await wire.once('files', async () => (await filesListed(wire)).get(fileId))
    : await wire.once(`file ${fileId}`, async () => (await wire.ask({ method: 'GET', path: fileId })).value);
  if (call.kind === 'failed') return null;
  const bytes = Number(fieldsOf(call.value)?.sizeBytes);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/**
 * Deletes a remote file; one that is gone already counts as deleted, and so does a result that Gemini will not delete:
 * it expires with its two days.
 */
export async function discard(wire: Wire, fileId: string): Promise<Call<{ readonly deleted: true }>> {
  const call = await wire.safely(`discard ${fileId}`, () => wire.ask({ method: 'DELETE', path: fileId }));
  if (call.kind === 'failed' && !isRefusedByLength(call.error, fileId) && !(await isGone(wire, call, fileId)))
    return call;
  return { kind: 'ok', value: { deleted: true } };
}

/**
 * Gemini names its results `files/batch-` and 36 characters more, and refuses to look at or delete a file whose name
 * has more than 40; only downloads take it (python-genai#1613, #1759, js-genai#1227).
 */
function isUnnameable(fileId: string): boolean {
  return fileId.length > 'files/'.length + 40;
}

function isRefusedByLength({ status, message }: ProviderError, fileId: string): boolean {
  return isUnnameable(fileId) && status === 400 && /more than 40 characters/i.test(message);
}

/**
 * Of a file that is not there Gemini says 403, "you do not have permission to access the file or it may not exist",
 * and says the same of any file while a bill is due (python-genai#692, #1218). Then the project's list of files
 * decides: whoever may read it, and does not find the name, knows that it is gone.
 */
async function isGone(
  wire: Wire,
  { error }: Extract<Call<unknown>, { kind: 'failed' }>,
  fileId: string,
): Promise<boolean> {
  if (error.status === 404) return true;
  if (error.status !== 403 || !/may not exist/i.test(error.message)) return false;
  const files = await wire.safely('files', () => filesListed(wire));
  return files.kind === 'ok' && !files.value.has(fileId);
}

/** Files live for two days, and a project may hold 20 GB of them. */
const MOST_PAGES = 1000;

/** By name. @throws RefusedCall where the list does not end */
async function filesListed(wire: Wire): Promise<ReadonlyMap<unknown, unknown>> {
  const files = new Map<unknown, unknown>();
  let token = '';
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const query = { pageSize: '100', ...(token === '' ? {} : { pageToken: token }) };
    const page = objectOf((await wire.ask({ method: 'GET', path: 'files', query })).value);
    for (const file of Array.isArray(page.files) ? page.files : []) files.set(fieldsOf(file)?.name, file);
    if (typeof page.nextPageToken !== 'string' || page.nextPageToken === '') return files;
    token = page.nextPageToken;
  }
  throw new RefusedCall(500, new Headers(), 'the list of files does not end');
}
