import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createAsks } from '../asks.ts';
import { chargesOf } from '../batch/charges.ts';
import { createProgress } from '../batch/progress.ts';
import { createRegister } from '../batch/register.ts';
import { createRuns } from '../batch/runs.ts';
import type { Face, World } from '../face.ts';
import { json, type Reply, readSmallBody } from '../http.ts';
import { foundIn, type Route, route } from '../routes.ts';
import { hexOf } from '../seed.ts';
import { askForm } from './ask.ts';
import { createBatches } from './batches.ts';
import { createFiles } from './files.ts';
import { lineWork } from './line-work.ts';
import { errorOfFault, refusal } from './replies.ts';
import { settle } from './settle.ts';
import { ENDPOINTS, type FileRow, type OpenaiBatch } from './types.ts';
import { verdictOf } from './verdict.ts';

/** OpenAI's published limit. */
const MOST_REQUESTS = 50_000;
/** Ours: no request that anybody would wait for is longer. */
const MOST_BODY = 32 << 20;

/** OpenAI's Files and Batch API, as it answered in 2026. */
export function createOpenaiFace(world: World): Face {
  const rows = world.log.table<OpenaiBatch>('openai.batch');
  const fileRows = world.log.table<FileRow>('openai.file');
  const runs = createRuns(world, (batch: OpenaiBatch) => {
    const { limits } = world.scenario();
    return {
      work: lineWork(batch, limits.models),
      mostRequests: limits.requests_per_batch ?? MOST_REQUESTS,
    };
  });
  const files = createFiles(world, (path) =>
    rows.all().some((row) => row.inputPath === path && row.end === null && row.verdict === null),
  );
  const progress = createProgress(world, rows, runs, {
    verdict(row, result, at) {
      const others = rows.all().filter((other) => other.id !== row.id);
      return verdictOf(row, result, at, world.scenario().limits.enqueued_tokens, others);
    },
    settle: (row, stage) => settle(row, stage, files, runs),
    settled: (row) => files.release(row.inputFileId),
  });
  const register = createRegister(world, rows, progress, (text) => `batch_${hexOf(text).slice(0, 32)}`);
  const batches = createBatches(world, register, files);
  const asks = createAsks(world, 'openai.ask');
  for (const row of rows.all()) if (row.end === null) progress.follow(row);

  const batchNumber = (id: string): number | null => rows.get(id)?.number ?? null;
  const routes: readonly Route[] = [
    route('POST', '/v1/files', 'upload', (_, incoming) => files.upload(incoming)),
    route('GET', '/v1/files', 'file', async (_, { query }) => files.list(query)),
    route('GET', '/v1/files/:id', 'file', async (id) => files.get(id)),
    route('DELETE', '/v1/files/:id', 'delete', async (id) => files.remove(id)),
    route('GET', '/v1/files/:id/content', 'download', async (id) => files.content(id), {
      batch: (id) => fileRows.get(id)?.batch ?? null,
    }),
    route('POST', '/v1/batches', 'create', (_, incoming) => batches.create(incoming), {
      batch: () => rows.size() + 1,
    }),
    route('GET', '/v1/batches', 'list', (_, incoming) => batches.list(incoming)),
    route('GET', '/v1/batches/:id', 'poll', (id) => batches.poll(id), { batch: batchNumber }),
    route('POST', '/v1/batches/:id/cancel', 'cancel', (id) => batches.cancel(id), { batch: batchNumber }),
    ...ENDPOINTS.map((endpoint) =>
      route('POST', endpoint, 'ask', async (_, { request, fault }) =>
        asks.answer(askForm(world, endpoint, (await readSmallBody(request, MOST_BODY)) ?? ''), fault),
      ),
    ),
  ];

  return {
    find: ({ method }, path) => foundIn(routes, method, path),
    refuse: refusalOfKey,
    error: (status, fault) => json(status, errorOfFault(status, fault)),
    async *ledger() {
      await progress.refresh();
      const now = world.clock.now();
      for (const row of rows.all()) {
        const marks = { input_file_id: row.inputFileId, metadata: row.metadata };
        yield* chargesOf(row, marks, join(world.dir, runs.paths(row.id).log), now);
      }
      yield* asks.ledger();
    },
    close: () => runs.close(),
  };
}

/** Any key will do, but there must be one. */
function refusalOfKey(request: IncomingMessage): Reply | null {
  if (/^Bearer \S+$/.test(request.headers.authorization ?? '')) return null;
  return refusal(401, {
    message:
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
      '(i.e. Authorization: Bearer YOUR_KEY). The emulator takes any key.',
  });
}
