import { type Batch, readView } from '../batch.ts';
import { type Answer, answerJson, type Call, type Task, type Telling } from '../contract.ts';
import { deleteBatch } from '../drop.ts';
import { dig, digText, isObject, type Json, listOf, parseText } from '../json.ts';
import { createBatch, findBatch, listBatches, type World } from '../world.ts';
import { isEnded, writeBatch } from './batch.ts';
import { refuse } from './errors.ts';
import { isDoomed } from './params.ts';

/** `/v1/messages/batches` and what lies below it. */
export function routeBatches(call: Call, world: World): Task {
  const [, id, below] = /^\/v1\/messages\/batches(?:\/([^/]+))?(\/cancel|\/results)?$/.exec(call.path) ?? [];
  if (id === undefined) return call.method === 'POST' ? create(call, world) : list(call, world);
  const batch = findBatch(world, 'anthropic', id) ?? null;
  const on = nameErrand(call.method, below);
  const does = { cancel, download: sendResults, delete: drop, poll: show }[on];
  const carry = (telling: Telling) =>
    batch === null ? refuse(world, 404, `No message batch ${id}.`) : does(batch, telling, world);
  return { on, batch, part: on === 'download' ? 'output' : null, carry };
}

function nameErrand(method: string, below: string | undefined): 'cancel' | 'download' | 'delete' | 'poll' {
  if (below === '/cancel') return 'cancel';
  if (below === '/results') return 'download';
  return method === 'DELETE' ? 'delete' : 'poll';
}

function create(call: Call, world: World): Task {
  const requests = listOf(dig(parseText(call.body.toString()), 'requests'));
  const version = call.headers['anthropic-version'] ?? '';
  return { on: 'create', batch: null, part: null, carry: () => make(requests, version, world) };
}

function make(requests: unknown[], version: string, world: World): Answer {
  const ids = requests.map((request) => digText(request, 'custom_id') ?? '');
  const bad = ids.findIndex((id) => !/^[a-zA-Z0-9_-]{1,64}$/.test(id));
  if (requests.length === 0) return refuse(world, 400, 'requests: at least one is needed.');
  if (requests.length > 100_000) return refuse(world, 413, 'requests: at most 100000 are taken.');
  if (bad >= 0) return refuse(world, 400, `requests.${bad}.custom_id: must match ^[a-zA-Z0-9_-]{1,64}$.`);
  if (new Set(ids).size < ids.length)
    return refuse(world, 400, 'requests: each custom_id must be there once.');
  const rows = requests.map((request, index) => {
    const params = dig(request, 'params');
    const body: Json = isObject(params) ? params : {};
    return { key: ids[index] as string, form: 'messages' as const, body, doomed: isDoomed(body, version) };
  });
  const id = world.ids.next('msgbatch_', 24);
  const batch = createBatch(world, 'anthropic', { id, rows, inputFile: null, details: {}, tag: null });
  return answerJson(writeBatch(readView(batch, world.clock.now()), world.origin));
}

function show(batch: Batch, { at, bend }: Telling, world: World): Answer {
  return answerJson(writeBatch(bend(readView(batch, at)), world.origin));
}

function cancel(batch: Batch, telling: Telling, world: World): Answer {
  if (isEnded(readView(batch, world.clock.now()).phase))
    return refuse(world, 400, `Batch ${batch.id} has ended and cannot be canceled.`);
  if (telling.act) batch.cancelAskedAt ??= world.clock.now();
  return show(batch, telling, world);
}

function drop(batch: Batch, { act }: Telling, world: World): Answer {
  if (!isEnded(readView(batch, world.clock.now()).phase))
    return refuse(world, 400, `Batch ${batch.id} is still processing; cancel it first.`);
  if (act) deleteBatch(world, batch);
  return answerJson({ id: batch.id, type: 'message_batch_deleted' });
}

function sendResults(batch: Batch, _telling: Telling, world: World): Answer {
  const file = batch.results?.[0];
  if (file === undefined) return refuse(world, 404, `Batch ${batch.id} has no results yet.`);
  if (!world.files.has(file.id)) return refuse(world, 404, `The results of ${batch.id} are archived.`);
  return { is: 'lines', file, type: 'application/x-jsonl' };
}

function list(call: Call, world: World): Task {
  const limit = Math.min(Number(call.query.get('limit') ?? 20), 1000);
  const [after, before] = [call.query.get('after_id'), call.query.get('before_id')];
  return {
    on: 'list',
    batch: null,
    part: null,
    carry: ({ at, bend, hides }) => {
      const all = listBatches(world, 'anthropic', at).filter((batch) => !hides(batch));
      const place = (id: string | null) => all.findIndex((batch) => batch.id === id);
      const newer = before === null ? null : all.slice(0, Math.max(place(before), 0));
      const rest = newer ?? all.slice(place(after) + 1);
      const page = newer === null ? rest.slice(0, limit) : rest.slice(-limit);
      const data = page.map((batch) => writeBatch(bend(readView(batch, at)), world.origin));
      const ids = data.map(({ id }) => id);
      const more = { has_more: rest.length > limit, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
      return answerJson({ data, ...more });
    },
  };
}
