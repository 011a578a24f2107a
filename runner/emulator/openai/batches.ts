import { pastOf, stageAt } from '../batch/lifecycle.ts';
import type { Register } from '../batch/register.ts';
import type { Incoming, World } from '../face.ts';
import type { AnyCallFault } from '../faults.ts';
import { json, type Reply, readSmallBody } from '../http.ts';
import { readCreateParams } from './create-params.ts';
import type { Files } from './files.ts';
import { page } from './page.ts';
import { badParameter, refusal } from './replies.ts';
import { type OpenaiBatch, WINDOW_MS } from './types.ts';
import { wireBatch } from './wire-batch.ts';

/** The four calls about batches. */
export interface Batches {
  create(incoming: Incoming): Promise<Reply>;
  poll(id: string): Promise<Reply>;
  list(incoming: Incoming): Promise<Reply>;
  cancel(id: string): Promise<Reply>;
}

export function createBatches(world: World, register: Register<OpenaiBatch>, files: Files): Batches {
  const { clock } = world;
  const show = (row: OpenaiBatch) => wireBatch(row, register.shown(row), clock.now());
  const showPast = (lagMs: number) => (row: OpenaiBatch) => {
    const past = pastOf(row, clock.now(), lagMs);
    return wireBatch(past.row, past.stage, past.at);
  };
  const showQuietly = (row: OpenaiBatch) => wireBatch(row, stageAt(row, clock.now()), clock.now());

  return {
    async create({ request, fault }) {
      const read = readCreateParams(await readSmallBody(request));
      if ('reply' in read) return read.reply;
      const input = files.find(read.params.inputFileId);
      const inputPath = input?.purpose === 'batch' ? input.path : null;
      const row = register.add({ ...read.params, inputPath, windowMs: WINDOW_MS }, fault);
      return json(200, showQuietly(row));
    },

    async poll(id) {
      const row = await register.visible(id);
      return row === null ? noBatch(id) : json(200, show(row));
    },

    async list({ query, fault }) {
      const limit = Number(query.get('limit') ?? 20);
      if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
        return badParameter('limit', 'Expected a whole number from 1 to 100.');
      }
      const wire = fault.lag_ms === undefined ? show : showPast(fault.lag_ms);
      return listPage(await register.listed(), wire, limit, query.get('after'), fault);
    },

    async cancel(id) {
      const row = await register.visible(id);
      if (row === null) return noBatch(id);
      const cancelled = register.cancel(row);
      return cancelled === null
        ? tooLate(stageAt(row, clock.now()).status)
        : json(200, showQuietly(cancelled));
    },
  };
}

function listPage(
  rows: readonly OpenaiBatch[],
  show: (row: OpenaiBatch) => unknown,
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
