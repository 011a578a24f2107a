import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBytes, answerShape, sendAnswers } from './server-answers.ts';
import { type RequestIds, requestIdsOf } from './server-upload.ts';

/**
 * A provider's batch API as far as the contestants call it, and as cheap as it can be made: batches end at once, and
 * every request has the same answer. Of an upload only the ids are kept (25 bytes a request), so that a million rows
 * fit; the answers are written while they are downloaded. Runs in a process of its own and prints its address.
 */
interface BatchRecord {
  readonly id: string;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly metadata: unknown;
  polls: number;
}

const uploads = new Map<string, RequestIds>();
const batches = new Map<string, BatchRecord>();
let made = 0;

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`);
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const [, , kind, id, part] = pathname.split('/');
  const call = `${request.method} ${kind}${id === undefined ? '' : '/id'}${part === undefined ? '' : `/${part}`}`;
  switch (call) {
    case 'POST files':
      return json(response, await upload(request));
    case 'POST batches':
      return json(response, createBatch(JSON.parse(await textOf(request))));
    case 'GET batches':
      return json(response, { object: 'list', data: [...batches.values()].map(wireBatch), has_more: false });
    case 'GET batches/id':
      return json(response, poll(id ?? ''));
    case 'GET files/id/content':
      return download(id ?? '', response);
    case 'DELETE files/id':
      return json(response, { id, object: 'file', deleted: true });
    default:
      response.writeHead(404).end();
  }
}

async function upload(request: IncomingMessage): Promise<unknown> {
  made += 1;
  const id = `file-${made}`;
  uploads.set(id, await requestIdsOf(request));
  return { id, object: 'file', bytes: 1, created_at: seconds(), filename: 'batch.jsonl', purpose: 'batch' };
}

function createBatch(order: { input_file_id: string; endpoint: string; metadata?: unknown }): unknown {
  made += 1;
  const batch: BatchRecord = {
    id: `batch_${made}`,
    endpoint: order.endpoint,
    inputFileId: order.input_file_id,
    metadata: order.metadata ?? null,
    polls: 0,
  };
  batches.set(batch.id, batch);
  return wireBatch(batch);
}

function poll(id: string): unknown {
  const batch = batches.get(id);
  if (batch === undefined) throw new Error(`no batch ${id}`);
  batch.polls += 1;
  return wireBatch(batch);
}

/** Validating in the answer to its creation, completed whenever somebody looks. */
function wireBatch(batch: BatchRecord): unknown {
  const ended = batch.polls > 0;
  const total = uploads.get(batch.inputFileId)?.count ?? 0;
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: null,
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: ended ? 'completed' : 'validating',
    output_file_id: ended ? `${batch.inputFileId}-of-${batch.id}` : null,
    error_file_id: null,
    created_at: seconds(),
    in_progress_at: ended ? seconds() : null,
    expires_at: seconds() + 86_400,
    completed_at: ended ? seconds() : null,
    request_counts: ended ? { total, completed: total, failed: 0 } : { total: 0, completed: 0, failed: 0 },
    metadata: batch.metadata,
  };
}

async function download(id: string, response: ServerResponse): Promise<void> {
  const [fileId = '', batchId = ''] = id.split('-of-');
  const ids = uploads.get(fileId);
  const batch = batches.get(batchId);
  if (ids === undefined || batch === undefined) return void response.writeHead(404).end();
  const shape = answerShape(batch.endpoint);
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': answerBytes(ids, shape),
  });
  await sendAnswers(ids, shape, response);
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
