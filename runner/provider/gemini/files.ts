import { fieldsOf, objectOf } from '../fields.ts';
import type { Call } from '../port.ts';
import { type Saved, saveBody } from '../save.ts';
import { RefusedCall, type Wire } from './client.ts';

/**
 * Streams a result file to `path`, whole. A file that is gone is a call that failed with 404, whatever the server says.
 * @throws UnreadableAnswer as `saveBody` does
 */
export async function download(wire: Wire, fileId: string, path: string): Promise<Call<Saved>> {
  const call = await wire.safely(`download ${fileId}`, () =>
    saveBody(
      path,
      () =>
        wire.open({
          method: 'GET',
          path: `${fileId}:download`,
          query: { alt: 'media' },
          // Uncompressed, so that the announced length is that of the bytes.
          headers: { 'accept-encoding': 'identity' },
        }),
      () => listedBytes(wire, fileId),
    ),
  );
  if (call.kind === 'ok' || !(await isGone(wire, call, fileId))) return call;
  return { kind: 'failed', error: { ...call.error, status: 404, about: 'request' } };
}

/** Null where the server does not tell. */
async function listedBytes(wire: Wire, fileId: string): Promise<number | null> {
  const call = await wire.once(`file ${fileId}`, () => wire.ask({ method: 'GET', path: fileId }));
  if (call.kind === 'failed') return null;
  const bytes = Number(fieldsOf(call.value.value)?.sizeBytes);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/** Deletes a remote file; one that is gone already counts as deleted. */
export async function discard(wire: Wire, fileId: string): Promise<Call<{ readonly deleted: true }>> {
  const call = await wire.safely(`discard ${fileId}`, () => wire.ask({ method: 'DELETE', path: fileId }));
  if (call.kind === 'failed' && !(await isGone(wire, call, fileId))) return call;
  return { kind: 'ok', value: { deleted: true } };
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
  const names = await wire.safely('files', () => fileNames(wire));
  return names.kind === 'ok' && !names.value.has(fileId);
}

/** Files live for two days, and a project may hold 20 GB of them. */
const MOST_PAGES = 1000;

/** @throws Error where the list does not end */
async function fileNames(wire: Wire): Promise<ReadonlySet<unknown>> {
  const names = new Set<unknown>();
  let token = '';
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const query = { pageSize: '100', ...(token === '' ? {} : { pageToken: token }) };
    const page = objectOf((await wire.ask({ method: 'GET', path: 'files', query })).value);
    for (const file of Array.isArray(page.files) ? page.files : []) names.add(fieldsOf(file)?.name);
    if (typeof page.nextPageToken !== 'string' || page.nextPageToken === '') return names;
    token = page.nextPageToken;
  }
  throw new RefusedCall(500, new Headers(), 'the list of files does not end');
}
