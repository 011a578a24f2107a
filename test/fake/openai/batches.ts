import { type Batch, readView } from '../batch.ts';
import { type Answer, answerJson, type Call, type Task, type Telling } from '../contract.ts';
import { digText, isObject, type Json, parseText } from '../json.ts';
import { createBatch, type Draft, findBatch, findFile, listBatches, type World } from '../world.ts';
import { writeErrorBody } from './answers.ts';
import { writeBatch } from './batch.ts';
import { FORMS, readInput } from './input.ts';

/** `/v1/batches` and what lies below it. */
export function routeBatches(call: Call, world: World): Task {
  const [, id, below] = /^\/v1\/batches(?:\/([^/]+))?(\/cancel)?$/.exec(call.path) ?? [];
  if (id === undefined) return call.method === 'POST' ? create(call, world) : list(call, world);
  const batch = findBatch(world, 'openai', id) ?? null;
  const carry = (does: (batch: Batch, telling: Telling) => Answer) => (telling: Telling) =>
    batch === null ? writeMissing(id) : does(batch, telling);
  if (below !== undefined) return { on: 'cancel', batch, part: null, carry: carry(cancel(world)) };
  return { on: 'poll', batch, part: null, carry: carry((one, telling) => show(world, one, telling)) };
}

function create(call: Call, world: World): Task {
  return { on: 'create', batch: null, part: null, carry: () => make(parseText(call.body.toString()), world) };
}

function make(params: unknown, world: World): Answer {
  const asked = isObject(params) ? params : {};
  for (const name of ['input_file_id', 'endpoint', 'completion_window'])
    if (digText(asked, name) === undefined) return refuse(`Missing required parameter: '${name}'.`, name);
  const endpoint = String(asked.endpoint);
  if (FORMS[endpoint] === undefined) return refuse(`The fake has no endpoint ${endpoint}.`, 'endpoint');
  if (asked.completion_window !== '24h') return refuse('The window must be 24h.', 'completion_window');
  const batch = createBatch(world, 'openai', draftBatch(asked, endpoint, world));
  return answerJson(writeBatch(readView(batch, world.clock.now()), world.quirks));
}

/** A file that is not there is told at the validation only; the create itself is answered with 200. */
function draftBatch(asked: Json, endpoint: string, world: World): Draft {
  const inputFile = String(asked.input_file_id);
  const file = findFile(world, 'openai', inputFile);
  const message = `Cannot find file ${inputFile}, or the organization does not have access to it.`;
  const input =
    file === undefined
      ? { rows: [], failure: { as: 'failed' as const, code: 'invalid_request', message } }
      : readInput(file.bytes, endpoint);
  const tag = asked.metadata ?? null;
  const details = { endpoint, completion_window: '24h', metadata: tag };
  return { id: world.ids.next('batch_', 32), inputFile, details, tag, ...input };
}

function show(world: World, batch: Batch, { at, bend }: Telling): Answer {
  return answerJson(writeBatch(bend(readView(batch, at)), world.quirks));
}

function cancel(world: World) {
  return (batch: Batch, telling: Telling): Answer => {
    const { phase } = readView(batch, world.clock.now());
    if (phase === 'completed' || phase === 'failed' || phase === 'expired')
      return refuse(`Cannot cancel a batch with status '${phase}'.`, 'id');
    if (telling.act) batch.cancelAskedAt ??= world.clock.now();
    return show(world, batch, telling);
  };
}

function list(call: Call, world: World): Task {
  const limit = Math.min(Number(call.query.get('limit') ?? 20), 100);
  const after = call.query.get('after');
  return {
    on: 'list',
    batch: null,
    part: null,
    carry: ({ at, bend, hides }) => {
      const all = listBatches(world, 'openai', at).filter((batch) => !hides(batch));
      const rest = after === null ? all : all.slice(all.findIndex(({ id }) => id === after) + 1);
      const data = rest.slice(0, limit).map((batch) => writeBatch(bend(readView(batch, at)), world.quirks));
      const ids = data.map(({ id }) => id);
      const page = { first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null, has_more: rest.length > limit };
      return answerJson({ object: 'list', data, ...page });
    },
  };
}

function refuse(message: string, param: string): Answer {
  const code = message.startsWith('Missing') ? 'missing_required_parameter' : null;
  return { is: 'json', status: 400, value: writeErrorBody(message, 'invalid_request_error', code, param) };
}

function writeMissing(id: string): Answer {
  const value = writeErrorBody(`No batch found with id '${id}'.`, 'invalid_request_error', null, 'id');
  return { is: 'json', status: 404, value };
}
