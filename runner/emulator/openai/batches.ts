import type { Incoming, World } from '../face.ts';
import type { AnyCallFault } from '../faults.ts';
import { json, type Reply, readSmallBody } from '../http.ts';
import { hexOf } from '../seed.ts';
import type { Table } from '../state-log.ts';
import { readCreateParams } from './create-params.ts';
import type { Files } from './files.ts';
import { isTerminal, stageAt } from './lifecycle.ts';
import { page } from './page.ts';
import type { Progress } from './progress.ts';
import { badParameter, refusal } from './replies.ts';
import type { BatchRow } from './types.ts';
import { wireBatch } from './wire-batch.ts';

/** The four calls about batches. */
export interface Batches {
  create(incoming: Incoming): Promise<Reply>;
  poll(id: string): Promise<Reply>;
  list(incoming: Incoming): Promise<Reply>;
  cancel(id: string): Promise<Reply>;
}

export function createBatches(
  world: World,
  rows: Table<BatchRow>,
  files: Files,
  progress: Progress,
): Batches {
  function show(row: BatchRow): Record<string, unknown> {
    const now = world.clock.now();
    const stage = stageAt(row, now);
    if (stage.status === 'cancelling' && !row.cancelSeen) rows.put(row.id, { ...row, cancelSeen: true });
    return wireBatch(row, stage, now);
  }

  /** A batch by its id, once it can be seen. */
  async function visible(id: string): Promise<BatchRow | null> {
    await progress.refresh();
    const row = rows.get(id);
    if (row === undefined) return null;
    return world.clock.now() < row.createdAt + (row.fault.not_found_ms ?? 0) ? null : row;
  }

  return {
    async create({ request, fault }) {
      const read = readCreateParams(await readSmallBody(request));
      if ('reply' in read) return read.reply;
      const { inputFileId } = read.params;
      const input = files.find(inputFileId);
      const number = rows.size() + 1;
      const createdAt = world.clock.now();
      const { seed, phases } = world.scenario();
      const id = `batch_${hexOf(`${seed} batch ${number} ${createdAt}`).slice(0, 32)}`;
      const inputPath = input?.purpose === 'batch' ? input.path : null;
      const row = rows.put(id, { ...NEW, ...read.params, id, number, createdAt, phases, fault, inputPath });
      progress.follow(row);
      return json(200, wireBatch(row, stageAt(row, createdAt), createdAt));
    },

    async poll(id) {
      const row = await visible(id);
      return row === null ? noBatch(id) : json(200, show(row));
    },

    async list({ query, fault }) {
      const limit = Number(query.get('limit') ?? 20);
      if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
        return badParameter('limit', 'Expected a whole number from 1 to 100.');
      }
      await progress.refresh();
      const now = world.clock.now();
      const shown = rows.all().filter((row) => now >= row.createdAt + (row.fault.hide_in_list_ms ?? 0));
      return listPage(shown.toReversed(), show, limit, query.get('after'), fault);
    },

    async cancel(id) {
      const row = await visible(id);
      if (row === null) return noBatch(id);
      const now = world.clock.now();
      const stage = stageAt(row, now);
      if (stage.status === 'cancelling' || stage.status === 'cancelled')
        return json(200, wireBatch(row, stage, now));
      if (isTerminal(stage.status)) return tooLate(stage.status);
      const cancelled = rows.put(id, { ...row, cancelAt: now });
      return json(200, wireBatch(cancelled, stageAt(cancelled, now), now));
    },
  };
}

const NEW = { verdict: null, cancelAt: null, cancelSeen: false, end: null } as const;

function listPage(
  rows: readonly BatchRow[],
  show: (row: BatchRow) => unknown,
  limit: number,
  after: string | null,
  fault: AnyCallFault,
): Reply {
  if (fault.repeat_cursor !== true) return page(rows, show, limit, after);
  const again = page(rows, show, limit, null);
  return again.kind === 'json' ? { ...again, json: { ...(again.json as object), has_more: true } } : again;
}

function noBatch(id: string): Reply {
  return refusal(404, { message: `No batch found with id '${id}'.` });
}

/** The status is a guess: what OpenAI answers here is not written anywhere. A 409 would make the SDK try again. */
function tooLate(status: string): Reply {
  return refusal(400, { message: `Cannot cancel a batch with status '${status}'.` });
}
