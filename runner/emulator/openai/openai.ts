import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Face, FoundCall, Incoming, World } from '../face.ts';
import { json, type Reply } from '../http.ts';
import type { CallName } from '../scenario.ts';
import { createBatches } from './batches.ts';
import { chargesOf } from './charges.ts';
import { createFiles } from './files.ts';
import { createProgress } from './progress.ts';
import { errorOfFault, refusal } from './replies.ts';
import { createRuns } from './runs.ts';
import type { BatchRow, FileRow } from './types.ts';

/** OpenAI's Files and Batch API, as it answered in 2026. */
export function createOpenaiFace(world: World): Face {
  const rows = world.log.table<BatchRow>('openai.batch');
  const fileRows = world.log.table<FileRow>('openai.file');
  const runs = createRuns(world);
  const files = createFiles(world, (path) =>
    rows.all().some((row) => row.inputPath === path && row.end === null && row.verdict === null),
  );
  const progress = createProgress(world, rows, files, runs);
  const batches = createBatches(world, rows, files, progress);
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
  ];

  return {
    find: (method, path) => foundIn(routes, method, path),
    refuse: refusalOfKey,
    error: (status, fault) => json(status, errorOfFault(status, fault)),
    async *ledger() {
      await progress.refresh();
      const now = world.clock.now();
      for (const row of rows.all()) yield* chargesOf(row, join(world.dir, runs.paths(row.id).log), now);
    },
    close: () => runs.close(),
  };
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly on: CallName;
  answer(id: string, incoming: Incoming): Promise<Reply>;
  batch(id: string): number | null;
}

/** `:id` in a path stands for one segment of it. */
function route(
  method: string,
  path: string,
  on: CallName,
  answer: Route['answer'],
  about: Pick<Route, 'batch'> = { batch: () => null },
): Route {
  return { method, path: new RegExp(`^${path.replace(':id', '([^/]+)')}$`), on, answer, batch: about.batch };
}

function foundIn(routes: readonly Route[], method: string, path: string): FoundCall | null {
  for (const { path: pattern, method: expected, on, answer, batch } of routes) {
    const match = method === expected ? pattern.exec(path) : null;
    if (match === null) continue;
    const id = match[1] ?? '';
    return { on, batchNumber: () => batch(id), answer: (incoming) => answer(id, incoming) };
  }
  return null;
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
