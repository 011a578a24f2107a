import { DAY, SECOND, toSeconds } from '../clock.ts';
import { type Answer, answerJson, answerOther, type Call, readPart, type Task } from '../contract.ts';
import { deleteFile } from '../drop.ts';
import type { StoredFile } from '../files.ts';
import type { Json } from '../json.ts';
import { findFile, keepInput, type World } from '../world.ts';
import { writeErrorBody } from './answers.ts';
import { type FormPart, readForm } from './multipart.ts';

/** `/v1/files` and what lies below it. */
export function routeFiles(call: Call, world: World): Task {
  const [, id, below] = /^\/v1\/files(?:\/([^/]+))?(\/content)?$/.exec(call.path) ?? [];
  if (id === undefined) return call.method === 'POST' ? upload(call, world) : listFiles(call, world);
  const file = findFile(world, 'openai', id);
  const batch = file?.kind === 'result' ? (world.batches.find((one) => one.id === file.batch) ?? null) : null;
  const part = file === undefined ? null : readPart(file);
  const missing: Answer = { is: 'json', status: 404, value: writeMissing(id) };
  if (below !== undefined)
    return { on: 'download', batch, part, carry: () => (file === undefined ? missing : sendContent(file)) };
  if (call.method === 'DELETE')
    return {
      on: 'delete',
      batch,
      part,
      carry: ({ act }) => (file === undefined ? missing : drop(world, file, act)),
    };
  return {
    on: 'file',
    batch,
    part,
    carry: ({ size }) =>
      file === undefined ? missing : answerJson(writeFile(file, size(file.bytes.length))),
  };
}

function upload(call: Call, world: World): Task {
  const form = readForm(call.headers['content-type'] ?? '', call.body) ?? [];
  return { on: 'upload', batch: null, part: null, carry: () => keepUpload(form, world) };
}

function keepUpload(form: FormPart[], world: World): Answer {
  const read = (name: string) => form.find((part) => part.name === name)?.bytes.toString();
  const file = form.find((part) => part.name === 'file');
  const purpose = read('purpose');
  if (file === undefined) return refuse("Missing required parameter: 'file'.", 'file');
  if (purpose === undefined) return refuse("Missing required parameter: 'purpose'.", 'purpose');
  if (!(file.filename ?? '').endsWith('.jsonl'))
    return refuse('Invalid file format for Batch API. Must be .jsonl');
  const keep = Number(read('expires_after[seconds]') ?? (30 * DAY) / SECOND) * SECOND;
  const kept = keepInput(world, {
    id: world.ids.next('file-', 22),
    provider: 'openai',
    name: file.filename ?? '',
    type: 'application/jsonl',
    bytes: file.bytes,
    expiresAt: world.clock.now() + keep,
  });
  return answerJson(writeFile(kept, kept.bytes.length));
}

function refuse(message: string, param?: string): Answer {
  const value = writeErrorBody(message, 'invalid_request_error', null, param);
  return { is: 'json', status: 400, value };
}

/** Newest first, in one page: a project of a test has few files. */
function listFiles(call: Call, world: World): Task {
  const purpose = call.query.get('purpose');
  return answerOther(() => {
    const files = [...world.files.values()].filter(({ provider }) => provider === 'openai').reverse();
    const data = files
      .map((file) => writeFile(file, file.bytes.length))
      .filter((file) => purpose === null || file.purpose === purpose);
    return answerJson({ object: 'list', data, has_more: false });
  });
}

function sendContent(file: StoredFile): Answer {
  const type = 'application/octet-stream';
  return file.kind === 'result' ? { is: 'lines', file, type } : { is: 'bytes', bytes: file.bytes, type };
}

function drop(world: World, file: StoredFile, act: boolean): Answer {
  if (act) deleteFile(world, file);
  return answerJson({ id: file.id, object: 'file', deleted: true });
}

function writeFile(file: StoredFile, bytes: number | null | undefined): Json {
  return {
    id: file.id,
    object: 'file',
    ...(bytes === undefined ? {} : { bytes }),
    created_at: toSeconds(file.createdAt),
    expires_at: toSeconds(file.expiresAt),
    filename: file.name,
    purpose: file.kind === 'input' ? 'batch' : 'batch_output',
    status: 'processed',
    status_details: null,
  };
}

function writeMissing(id: string): Json {
  return writeErrorBody(`No such File object: ${id}`, 'invalid_request_error', null, 'id');
}
