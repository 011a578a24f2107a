import { createHash } from 'node:crypto';
import { DAY, toStamp } from '../clock.ts';
import {
  type Answer,
  answerJson,
  answerOther,
  type Call,
  readPart,
  type Task,
  type Telling,
} from '../contract.ts';
import { deleteFile } from '../drop.ts';
import type { StoredFile } from '../files.ts';
import type { Json } from '../json.ts';
import { findFile, type World } from '../world.ts';
import { refuse } from './errors.ts';

/** Files live for 48 hours. */
export const KEEP_MS = 2 * DAY;

/** `files`, `files/{id}` and `files/{id}:download`. */
export function routeFiles(call: Call, below: string, world: World): Task {
  const [, id, verb] = /^\/([^/:]+)(:download)?$/.exec(below) ?? [];
  if (id === undefined) return listFiles(call, world);
  const file = findFile(world, 'gemini', `files/${id}`);
  const batch = file?.kind === 'result' ? (world.batches.find((one) => one.id === file.batch) ?? null) : null;
  const part = file === undefined ? null : readPart(file);
  const on = verb !== undefined ? 'download' : call.method === 'DELETE' ? 'delete' : 'file';
  const does = { download: sendContent, delete: drop, file: show }[on];
  const carry = (telling: Telling) =>
    file === undefined ? refuse(404, `File ${id} not found.`) : does(file, telling, world);
  return { on, batch, part, carry };
}

/** A file as `GET /v1beta/files/{id}` shows it. */
export function writeFile(file: StoredFile, origin: string, size: number | null | undefined): Json {
  return {
    name: file.id,
    ...(file.name === '' ? {} : { displayName: file.name }),
    mimeType: file.kind === 'input' ? file.type : 'application/json',
    ...(size === undefined ? {} : { sizeBytes: size === null ? null : String(size) }),
    createTime: toStamp(file.createdAt),
    updateTime: toStamp(file.createdAt),
    expirationTime: toStamp(file.expiresAt),
    sha256Hash: Buffer.from(createHash('sha256').update(file.bytes).digest('hex')).toString('base64'),
    uri: `${origin}/v1beta/${file.id}`,
    state: 'ACTIVE',
    source: file.kind === 'input' ? 'UPLOADED' : 'GENERATED',
  };
}

function show(file: StoredFile, { size }: Telling, world: World): Answer {
  return answerJson(writeFile(file, world.origin, size(file.bytes.length)));
}

function drop(file: StoredFile, { act }: Telling, world: World): Answer {
  if (act) deleteFile(world, file);
  return answerJson({});
}

function sendContent(file: StoredFile): Answer {
  const type = 'application/octet-stream';
  return file.kind === 'result' ? { is: 'lines', file, type } : { is: 'bytes', bytes: file.bytes, type };
}

function listFiles(call: Call, world: World): Task {
  const size = Math.min(Number(call.query.get('pageSize') ?? 10), 100);
  const token = call.query.get('pageToken');
  return answerOther(() => {
    const all = [...world.files.values()].filter(isListed).reverse();
    const rest = token === null ? all : all.slice(all.findIndex(({ id }) => id === `files/${token}`) + 1);
    const files = rest.slice(0, size).map((file) => writeFile(file, world.origin, file.bytes.length));
    const next = rest.length > size ? { nextPageToken: rest[size - 1]?.id.slice('files/'.length) } : {};
    return answerJson({ ...(files.length === 0 ? {} : { files }), ...next });
  });
}

/** Inlined answers are kept like a file, but they are none. */
function isListed({ provider, id }: StoredFile): boolean {
  return provider === 'gemini' && id.startsWith('files/');
}
