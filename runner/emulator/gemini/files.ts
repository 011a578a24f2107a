import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Incoming, World } from '../face.ts';
import { json, type Reply } from '../http.ts';
import { listPage } from './page.ts';
import { refusal } from './replies.ts';
import { FILE_KEPT_MS, type FileRow, type UploadRow } from './types.ts';
import { createUploads } from './uploads.ts';

/** The files of one emulator; names without `files/`. */
export interface Files {
  upload(incoming: Incoming): Promise<Reply>;
  get(id: string): Reply;
  list(query: URLSearchParams): Reply;
  content(id: string): Reply;
  remove(id: string): Reply;
  /** A file that can be read now: neither deleted nor expired. */
  find(id: string): FileRow | null;
  /** Nobody reads the file for a batch any more: where it was deleted its bytes go too. */
  release(id: string): void;
  /** Makes a result file known; the bytes are at `path` already. */
  add(file: Omit<FileRow, 'deleted'>): FileRow;
  absolute(path: string): string;
}

/** @param isNeeded says whether a batch still has to read this path: its bytes outlive the deleted file. */
export function createFiles(world: World, isNeeded: (path: string) => boolean): Files {
  const rows = world.log.table<FileRow>('gemini.file');
  mkdirSync(join(world.dir, 'files'), { recursive: true });

  function find(id: string): FileRow | null {
    const row = rows.get(id);
    if (row === undefined || row.deleted) return null;
    return row.createdAt + FILE_KEPT_MS <= world.clock.now() ? null : row;
  }

  const add = (file: Omit<FileRow, 'deleted'>): FileRow => rows.put(file.id, { ...file, deleted: false });
  const uploads = createUploads(
    world,
    world.log.table<UploadRow>('gemini.upload'),
    (id) => find(id) !== null,
    ({ file }) => wireFile(add({ ...file, createdAt: world.clock.now(), batch: null })),
  );

  const files: Files = {
    find,
    add,
    absolute: (path) => join(world.dir, path),
    upload: ({ request, query }) => uploads.answer(request, query),
    get: (id) => tooLong('Get', id) ?? withFile(find(id), id, (row) => json(200, wireFile(row))),
    list(query) {
      const known = rows.all().filter(({ id }) => find(id) !== null);
      return listPage('files', known.toReversed(), wireFile, query, {});
    },
    content: (id) =>
      withFile(find(id), id, ({ path, bytes }) => ({
        kind: 'file',
        status: 200,
        path: files.absolute(path),
        bytes,
      })),
    release(id) {
      const row = rows.get(id);
      if (row?.deleted && !isNeeded(row.path)) rmSync(files.absolute(row.path), { force: true });
    },
    remove: (id) =>
      tooLong('Delete', id) ??
      withFile(find(id), id, (row) => {
        rows.put(id, { ...row, deleted: true });
        files.release(id);
        return json(200, {});
      }),
  };
  return files;
}

/** Gemini's own names of results have 42 characters, and only downloads take them (python-genai#1613). */
function tooLong(method: 'Get' | 'Delete', id: string): Reply | null {
  if (id.length <= 40) return null;
  const rule = "File ID (name excluding 'files/') cannot be more than 40 characters.";
  return refusal('INVALID_ARGUMENT', `* ${method}FileRequest.name: ${rule}`);
}

/** Gemini does not say which of the two it is (python-genai#692). */
function withFile(row: FileRow | null, id: string, then: (row: FileRow) => Reply): Reply {
  if (row !== null) return then(row);
  const message = `You do not have permission to access the File ${id} or it may not exist.`;
  return refusal('PERMISSION_DENIED', message);
}

function wireFile(row: FileRow): Record<string, unknown> {
  return {
    name: `files/${row.id}`,
    displayName: row.displayName,
    mimeType: row.mimeType,
    sizeBytes: String(row.bytes),
    createTime: new Date(row.createdAt).toISOString(),
    expirationTime: new Date(row.createdAt + FILE_KEPT_MS).toISOString(),
    state: 'ACTIVE',
    source: row.batch === null ? 'UPLOADED' : 'GENERATED',
  };
}
