import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Asks, createAsks } from '../asks.ts';
import { chargesOf } from '../batch/charges.ts';
import { createProgress } from '../batch/progress.ts';
import { createRegister } from '../batch/register.ts';
import type { BatchError, Verdict } from '../batch/row.ts';
import type { RunResult } from '../batch/run-lines.ts';
import { createRuns } from '../batch/runs.ts';
import type { Face, Incoming, World } from '../face.ts';
import { type Reply, readSmallBody } from '../http.ts';
import { foundIn, type Route, route } from '../routes.ts';
import { lettersOf } from '../seed.ts';
import { askForm } from './ask.ts';
import { createBatches } from './batches.ts';
import { createFiles } from './files.ts';
import { lineWork } from './line-work.ts';
import { errorOfFault, refusal, usualWords, wordOfCode } from './replies.ts';
import { settle } from './settle.ts';
import type { Endpoint, FileRow, GeminiBatch } from './types.ts';

/** Published nowhere; Vertex has this one. */
const MOST_REQUESTS = 200_000;
/** Ours: no request that anybody would wait for is longer. */
const MOST_BODY = 32 << 20;
const VERSION = '/(?:v1|v1beta|v1alpha)';

/** Gemini's Developer API for files and batches, as it answered in 2026. */
export function createGeminiFace(world: World): Face {
  const rows = world.log.table<GeminiBatch>('gemini.batch');
  const fileRows = world.log.table<FileRow>('gemini.file');
  const runs = createRuns(world, (batch: GeminiBatch) => ({
    work: lineWork(batch),
    mostRequests: world.scenario().limits.requests_per_batch ?? MOST_REQUESTS,
  }));
  const files = createFiles(world, (path) =>
    rows.all().some((row) => row.inputPath === path && row.end === null && row.verdict === null),
  );
  const progress = createProgress(world, rows, runs, {
    verdict: verdictOf,
    settle: async (row, stage) => settle(row, stage, files, runs),
    settled: (row) => files.release(row.inputFile),
  });
  const register = createRegister(world, rows, progress, (text) => lettersOf('', text, 36).toLowerCase());
  const batches = createBatches(world, rows, register, files);
  const asks = createAsks(world, 'gemini.ask');
  for (const row of rows.all()) if (row.end === null) progress.follow(row);

  const about = { batch: (id: string): number | null => rows.get(id)?.number ?? null };
  const next = { batch: () => rows.size() + 1 };
  const ofFile = { batch: (id: string): number | null => fileRows.get(id)?.batch ?? null };
  const creates = (method: string, endpoint: Endpoint): Route =>
    route(
      'POST',
      `${VERSION}/models/:id:${method}`,
      'create',
      (model, incoming) => batches.create(endpoint, model, incoming),
      next,
    );
  const routes: readonly Route[] = [
    route('POST', `/upload${VERSION}/files`, 'upload', (_, incoming) => files.upload(incoming)),
    route('GET', `${VERSION}/files`, 'file', async (_, { query }) => files.list(query)),
    route(
      'GET',
      `(?:/download)?${VERSION}/files/:id:download`,
      'download',
      async (id) => files.content(id),
      ofFile,
    ),
    route('GET', `${VERSION}/files/:id`, 'file', async (id) => files.get(id)),
    route('DELETE', `${VERSION}/files/:id`, 'delete', async (id) => files.remove(id)),
    creates('batchGenerateContent', 'generateContent'),
    creates('asyncBatchEmbedContent', 'embedContent'),
    ...(['generateContent', 'embedContent'] as const).map((endpoint) =>
      route('POST', `${VERSION}/models/:id:${endpoint}`, 'ask', (id, incoming) =>
        answered(world, asks, id, endpoint, incoming),
      ),
    ),
    route('GET', `${VERSION}/batches`, 'list', (_, incoming) => batches.list(incoming)),
    route('GET', `${VERSION}/batches/:id`, 'poll', (id) => batches.poll(id), about),
    route('POST', `${VERSION}/batches/:id:cancel`, 'cancel', (id) => batches.cancel(id), about),
  ];

  return {
    // OpenAI has the same paths under /v1: there the header tells whose call it is.
    find: (request, path) =>
      isOpenaiPath(path) && keyIn(request) === null ? null : foundIn(routes, request.method, path),
    refuse: (request) =>
      keyIn(request) === null
        ? refusal(
            'PERMISSION_DENIED',
            "Method doesn't allow unregistered callers. The emulator takes any key.",
          )
        : null,
    error: errorOfFault,
    async *ledger() {
      await progress.refresh();
      const now = world.clock.now();
      for (const row of rows.all()) {
        const marks = {
          input_file_id: `files/${row.inputFile}`,
          metadata: { display_name: row.displayName },
        };
        yield* chargesOf(row, marks, join(world.dir, runs.paths(row.id).log), now);
      }
      yield* asks.ledger();
    },
    close: () => runs.close(),
  };
}

async function answered(
  world: World,
  asks: Asks,
  model: string,
  endpoint: Endpoint,
  { request, fault }: Incoming,
): Promise<Reply> {
  const body = (await readSmallBody(request, MOST_BODY)) ?? '';
  const { models } = world.scenario().limits;
  if (models === null || models.includes(model)) return asks.answer(askForm(model, endpoint, body), fault);
  const message = `models/${model} is not found for API version v1beta, or is not supported for ${endpoint}.`;
  return refusal('NOT_FOUND', message);
}

function isOpenaiPath(path: string): boolean {
  return /^\/v1\/(files|batches)(\/|$)/.test(path);
}

function keyIn(request: IncomingMessage): string | null {
  const key = request.headers['x-goog-api-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

function verdictOf(batch: GeminiBatch, result: RunResult | null, at: number): Verdict {
  const { fail, fail_message } = batch.fault;
  if (fail !== undefined) {
    const error = {
      code: fail,
      message: fail_message ?? usualWords(wordOfCode(fail), fail),
      param: null,
      line: null,
    };
    return { kind: 'invalid', at, errors: [error] };
  }
  if (result === null) return { kind: 'invalid', at, errors: [NO_INPUT] };
  return result.kind === 'invalid'
    ? { kind: 'invalid', at, errors: result.errors }
    : { kind: 'valid', at, run: result.totals };
}

const NO_INPUT: BatchError = {
  code: 'NOT_FOUND',
  message: 'The input file was not found.',
  param: null,
  line: null,
};
