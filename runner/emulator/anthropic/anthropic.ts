import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Json } from '../../ids.ts';
import { type Asks, createAsks } from '../asks.ts';
import { chargesOf } from '../batch/charges.ts';
import { createProgress } from '../batch/progress.ts';
import { createRegister } from '../batch/register.ts';
import type { Verdict } from '../batch/row.ts';
import type { RunResult } from '../batch/run-lines.ts';
import { createRuns } from '../batch/runs.ts';
import type { Face, Incoming, World } from '../face.ts';
import { json, type Reply, readSmallBody } from '../http.ts';
import { isObject } from '../json-value.ts';
import { foundIn, type Route, route } from '../routes.ts';
import { lettersOf } from '../seed.ts';
import { askForm } from './ask.ts';
import { createBatches, DEFAULT_VERSION } from './batches.ts';
import { lineWork } from './line-work.ts';
import { badRequest, errorOfFault, refusal } from './replies.ts';
import { settle } from './settle.ts';
import type { AnthropicBatch } from './types.ts';

const PATH = '/v1/messages/batches';

/** Anthropic's Message Batches, as they answered in 2026. */
export function createAnthropicFace(world: World): Face {
  const rows = world.log.table<AnthropicBatch>('anthropic.batch');
  const runs = createRuns(world, (batch: AnthropicBatch) => ({
    work: lineWork(batch, world.scenario().limits.models),
    // The create has counted them.
    mostRequests: batch.requests,
  }));
  const progress = createProgress(world, rows, runs, {
    verdict: verdictOf,
    settle: (row, stage) => settle(row, stage, world, runs),
    settled: () => {},
  });
  const register = createRegister(world, rows, progress, (text) => lettersOf('msgbatch_', text, 24));
  const batches = createBatches(world, rows, register);
  const asks = createAsks(world, 'anthropic.ask');
  for (const row of rows.all()) if (row.end === null) progress.follow(row);

  const about = { batch: (id: string): number | null => rows.get(id)?.number ?? null };
  const routes: readonly Route[] = [
    route('POST', PATH, 'create', (_, incoming) => batches.create(incoming), {
      batch: () => register.nextNumber(),
    }),
    route('POST', '/v1/messages', 'ask', (_, incoming) => answered(world, asks, incoming)),
    route('GET', PATH, 'list', (_, incoming) => batches.list(incoming)),
    route('GET', `${PATH}/:id`, 'poll', batches.poll, about),
    route('POST', `${PATH}/:id/cancel`, 'cancel', batches.cancel, about),
    route('DELETE', `${PATH}/:id`, 'delete', batches.remove, about),
    route('GET', `${PATH}/:id/results`, 'download', batches.results, about),
  ];

  return {
    find: ({ method }, path) => foundIn(routes, method, path),
    refuse: refusalOfKey,
    error: (status, fault) => json(status, errorOfFault(status, fault)),
    async *ledger() {
      await progress.refresh();
      const now = world.clock.now();
      for (const row of rows.all()) {
        if (row.foreign) continue;
        const marks = { input_file_id: null, metadata: null };
        yield* chargesOf(row, marks, join(world.dir, runs.paths(row.id).log), now);
      }
      yield* asks.ledger();
    },
    close: () => runs.close(),
  };
}

/** Ours: no request that anybody would wait for is longer. */
const MOST_BODY = 32 << 20;

async function answered(world: World, asks: Asks, { request, fault }: Incoming): Promise<Reply> {
  const body = (await readSmallBody(request, MOST_BODY)) ?? '';
  if (!isJsonObject(body)) return badRequest('The body is not a JSON object.');
  const version = request.headers['anthropic-version'];
  const form = askForm(world, typeof version === 'string' ? version : DEFAULT_VERSION, body);
  return asks.answer(form, fault);
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text) as Json);
  } catch {
    return false;
  }
}

/** Any key will do, as the SDK sends it or as the REST examples do, but there must be one. */
function refusalOfKey({ headers }: IncomingMessage): Reply | null {
  const key = headers['x-api-key'];
  if (/^Bearer \S+$/.test(headers.authorization ?? '') || (typeof key === 'string' && key !== ''))
    return null;
  return refusal(401, { message: 'There is no key in the request. The emulator takes any key.' });
}

/** Nothing is checked before a batch runs, so only a scenario can let one fail. */
function verdictOf(batch: AnthropicBatch, result: RunResult | null, at: number): Verdict {
  if (result?.kind === 'valid') return { kind: 'valid', at, run: result.totals };
  const { fail: code = 'api_error', fail_message: message = '' } = batch.fault;
  return { kind: 'invalid', at, errors: [{ code, message, param: null, line: null }] };
}
