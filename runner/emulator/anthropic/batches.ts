import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { isTerminal, pastOf, stageAt } from '../batch/lifecycle.ts';
import type { Register } from '../batch/register.ts';
import type { Incoming, World } from '../face.ts';
import { json, type Reply } from '../http.ts';
import type { Table } from '../state-log.ts';
import { addLookalikes } from './lookalikes.ts';
import { page } from './page.ts';
import { receiveRequests } from './receive.ts';
import { badRequest, notFound, refusal } from './replies.ts';
import { type AnthropicBatch, RESULTS_KEPT_MS, WINDOW_MS } from './types.ts';
import { hasResults, wireBatch } from './wire-batch.ts';

/** The six calls about batches. */
export interface Batches {
  create(incoming: Incoming): Promise<Reply>;
  poll(id: string, incoming: Incoming): Promise<Reply>;
  list(incoming: Incoming): Promise<Reply>;
  cancel(id: string, incoming: Incoming): Promise<Reply>;
  remove(id: string, incoming: Incoming): Promise<Reply>;
  results(id: string, incoming: Incoming): Promise<Reply>;
}

/** Anthropic's published limits. */
const MOST_REQUESTS = 100_000;
const MOST_BYTES = 256_000_000;
/** What the REST examples send; a request without one is refused. */
export const DEFAULT_VERSION = '2023-06-01';

export function createBatches(
  world: World,
  rows: Table<AnthropicBatch>,
  register: Register<AnthropicBatch>,
): Batches {
  const { clock } = world;

  function show(row: AnthropicBatch, request: IncomingMessage): Record<string, unknown> {
    return wireBatch(row, register.shown(row), clock.now(), originOf(request));
  }

  function showPast(row: AnthropicBatch, lagMs: number, request: IncomingMessage): Record<string, unknown> {
    const past = pastOf(row, clock.now(), lagMs);
    return wireBatch(past.row, past.stage, past.at, originOf(request));
  }

  /** One of the caller's workspace that nobody has deleted. */
  async function visible(id: string, request: IncomingMessage): Promise<AnthropicBatch | null> {
    const row = await register.visible(id);
    return row === null || row.deleted || row.workspace !== workspaceOf(request) ? null : row;
  }

  async function created({ request, fault }: Incoming, inputPath: string): Promise<Reply> {
    const { limits } = world.scenario();
    const [mostBytes, most] = [limits.file_bytes ?? MOST_BYTES, limits.requests_per_batch ?? MOST_REQUESTS];
    const { bytes, requests, problem } = await receiveRequests(
      request,
      join(world.dir, inputPath),
      mostBytes,
    );
    if (bytes > mostBytes)
      return refusal(413, { message: `The request has ${bytes} bytes, and may have ${mostBytes}.` });
    if (problem !== null) return badRequest(problem);
    if (requests > most) return badRequest(`requests: at most ${most} are taken, these are ${requests}`);
    const own = {
      inputPath,
      windowMs: WINDOW_MS,
      requests,
      version: textOf(request.headers['anthropic-version']) ?? DEFAULT_VERSION,
      workspace: workspaceOf(request),
      deleted: false,
    };
    await addLookalikes(world, register, own, fault.lookalikes ?? 0);
    if (fault.not_stored === true) return refusal(500, { message: 'Internal server error.' });
    return json(200, show(register.add(own, fault), request));
  }

  return {
    async create(incoming) {
      const inputPath = join('batches', `${randomUUID()}.input.jsonl`);
      const reply = await created(incoming, inputPath);
      if (reply.status !== 200) rmSync(join(world.dir, inputPath), { force: true });
      return reply;
    },

    async poll(id, { request }) {
      const row = await visible(id, request);
      return row === null ? notFound(id) : json(200, show(row, request));
    },

    async list({ request, query, fault }) {
      const workspace = workspaceOf(request);
      const shown = (await register.listed()).filter((row) => !row.deleted && row.workspace === workspace);
      const { lag_ms: lagMs } = fault;
      const wire = (row: AnthropicBatch) =>
        lagMs === undefined ? show(row, request) : showPast(row, lagMs, request);
      if (fault.repeat_cursor !== true) return page(shown, wire, query);
      query.delete('after_id');
      const again = page(shown, wire, query);
      return again.kind === 'json'
        ? { ...again, json: { ...(again.json as object), has_more: true } }
        : again;
    },

    async cancel(id, { request }) {
      const row = await visible(id, request);
      if (row === null) return notFound(id);
      const cancelled = register.cancel(row);
      if (cancelled === null) return badRequest('The batch has ended, and cannot be cancelled.');
      return json(200, show(cancelled, request));
    },

    async remove(id, { request }) {
      const row = await visible(id, request);
      if (row === null) return notFound(id);
      if (!isTerminal(stageAt(row, clock.now()).status))
        return badRequest('The batch has not ended: it must be cancelled first.');
      rows.put(id, { ...row, deleted: true });
      return json(200, { id, type: 'message_batch_deleted' });
    },

    async results(id, { request }) {
      const row = await visible(id, request);
      const now = clock.now();
      if (row === null || now >= row.createdAt + RESULTS_KEPT_MS) return notFound(id);
      const results = row.end?.results ?? null;
      if (results === null || !hasResults(row, stageAt(row, now), now))
        return badRequest('The batch has no results yet.');
      return { kind: 'file', status: 200, path: join(world.dir, results.path), bytes: results.bytes };
    },
  };
}

/** The emulator's own address, as the caller knows it. */
function originOf(request: IncomingMessage): string {
  return `http://${request.headers.host ?? 'localhost'}`;
}

function workspaceOf(request: IncomingMessage): string {
  return textOf(request.headers['anthropic-workspace-id']) ?? 'default';
}

function textOf(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null;
}
