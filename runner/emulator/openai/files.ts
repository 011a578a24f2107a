import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Incoming, World } from '../face.ts';
import { json, type Reply } from '../http.ts';
import { lettersOf } from '../seed.ts';
import { page } from './page.ts';
import { badParameter, refusal } from './replies.ts';
import type { FileRow } from './types.ts';
import { receiveUpload } from './uploads.ts';

/** OpenAI's published limit of a batch's input file. */
const MOST_BYTES = 200 * 1024 * 1024;

/** The files of one emulator. */
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
  add(file: Omit<FileRow, 'id' | 'deleted'>): FileRow;
  absolute(path: string): string;
}

/** @param isNeeded says whether a batch still has to read this path: its bytes outlive the deleted file. */
export function createFiles(world: World, isNeeded: (path: string) => boolean): Files {
  const rows = world.log.table<FileRow>('openai.file');
  mkdirSync(join(world.dir, 'files'), { recursive: true });

  function find(id: string): FileRow | null {
    const row = rows.get(id);
    if (row === undefined || row.deleted) return null;
    return row.expiresAt !== null && row.expiresAt <= world.clock.now() ? null : row;
  }

  function add(file: Omit<FileRow, 'id' | 'deleted'>): FileRow {
    const text = `${world.scenario().seed} file ${rows.size() + 1} ${world.clock.now()}`;
    const id = lettersOf('file-', text, 22);
    return rows.put(id, { ...file, id, deleted: false });
  }

  const files: Files = {
    find,
    add,
    absolute: (path) => join(world.dir, path),
    async upload({ request }) {
      const path = join('files', `${randomUUID()}.jsonl`);
      const most = world.scenario().limits.file_bytes ?? MOST_BYTES;
      const received = await receiveUpload(request, files.absolute(path), most, world.clock);
      if (received.kind === 'file') return json(200, wireFile(add({ ...received.file, path, batch: null })));
      rmSync(files.absolute(path), { force: true });
      return received.reply;
    },
    get: (id) => withFile(find(id), id, (row) => json(200, wireFile(row))),
    list: (query) =>
      listOf(
        rows.all().filter((row) => find(row.id) !== null),
        query,
      ),
    content: (id) =>
      withFile(find(id), id, (row) => ({
        kind: 'file',
        status: 200,
        path: files.absolute(row.path),
        bytes: row.bytes,
      })),
    release(id) {
      const row = rows.get(id);
      if (row?.deleted && !isNeeded(row.path)) rmSync(files.absolute(row.path), { force: true });
    },
    remove: (id) =>
      withFile(find(id), id, (row) => {
        rows.put(id, { ...row, deleted: true });
        files.release(id);
        return json(200, { id, object: 'file', deleted: true });
      }),
  };
  return files;
}

function withFile(row: FileRow | null, id: string, then: (row: FileRow) => Reply): Reply {
  return row === null ? refusal(404, { message: `No such File object: ${id}`, param: 'id' }) : then(row);
}

function wireFile(row: FileRow): Record<string, unknown> {
  return {
    id: row.id,
    object: 'file',
    bytes: row.bytes,
    created_at: Math.floor(row.createdAt / 1000),
    ...(row.expiresAt === null ? {} : { expires_at: Math.floor(row.expiresAt / 1000) }),
    filename: row.filename,
    purpose: row.purpose,
    status: 'processed',
    status_details: null,
  };
}

function listOf(rows: readonly FileRow[], query: URLSearchParams): Reply {
  const limit = Number(query.get('limit') ?? 10_000);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
    return badParameter('limit', 'Expected a whole number from 1 to 10000.');
  }
  const purpose = query.get('purpose');
  const wanted = rows.filter((row) => purpose === null || row.purpose === purpose);
  const ordered = query.get('order') === 'asc' ? wanted : wanted.toReversed();
  return page(ordered, wireFile, limit, query.get('after'));
}
