import { type Batch, readView, type View } from '../batch.ts';
import { type Answer, answerJson, type Call, type Task, type Telling } from '../contract.ts';
import { deleteBatch } from '../drop.ts';
import { dig, digText, isObject, type Json, listOf, parseText } from '../json.ts';
import type { Form } from '../model.ts';
import type { RowDraft } from '../work.ts';
import { createBatch, type Draft, findBatch, findFile, listBatches, type World } from '../world.ts';
import { writeOperation } from './batch.ts';
import { refuse } from './errors.ts';

/** `models/{m}:batchGenerateContent` and `models/{m}:asyncBatchEmbedContent`. */
export function create(call: Call, model: string, form: Form, world: World): Task {
  const asked = dig(parseText(call.body.toString()), 'batch');
  return { on: 'create', batch: null, part: null, carry: () => make(asked, model, form, world) };
}

/** `batches`, `batches/{id}` and `batches/{id}:cancel`. */
export function routeBatches(call: Call, below: string, world: World): Task {
  const [, id, verb] = /^\/([^/:]+)(:cancel)?$/.exec(below) ?? [];
  if (id === undefined) return list(call, world);
  const batch = findBatch(world, 'gemini', id) ?? null;
  const on = verb !== undefined ? 'cancel' : call.method === 'DELETE' ? 'delete' : 'poll';
  const does = { cancel, delete: drop, poll: show }[on];
  const carry = (telling: Telling) =>
    batch === null ? refuse(404, `Batch ${id} not found.`) : does(batch, telling, world);
  return { on, batch, part: null, carry };
}

function make(asked: unknown, model: string, form: Form, world: World): Answer {
  const config = dig(asked, 'inputConfig') ?? dig(asked, 'input_config');
  const inputFile = digText(config, 'fileName') ?? digText(config, 'file_name') ?? null;
  const file = inputFile === null ? undefined : findFile(world, 'gemini', inputFile);
  if (inputFile !== null && file?.kind !== 'input') return refuse(404, `File ${inputFile} not found.`);
  const entries =
    file === undefined ? listOf(dig(config, 'requests', 'requests')) : readEntries(file.bytes.toString());
  if (entries.length === 0) return refuse(400, 'The batch has no requests.');
  const displayName = digText(asked, 'displayName') ?? '';
  const rows = entries.map((entry): RowDraft => readEntry(entry, model, form));
  const details = { model, displayName };
  const draft: Draft = { id: world.ids.next('', 36), rows, inputFile, details, tag: displayName };
  return answerJson(writeOperation(readView(createBatch(world, 'gemini', draft), world.clock.now())));
}

function readEntries(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parseText(line));
}

/** A line of a file has its key beside the request, an inline one in its metadata. */
function readEntry(entry: unknown, model: string, form: Form): RowDraft {
  const request = dig(entry, 'request');
  const body: Json = isObject(request) ? request : {};
  const key = digText(entry, 'key') ?? digText(entry, 'metadata', 'key') ?? '';
  return { key, form, body, model, doomed: !isObject(request) };
}

function show(batch: Batch, { at, bend }: Telling): Answer {
  const view = bend(readView(batch, at));
  const inline = batch.inputFile === null ? view.results[0] : undefined;
  return { ...answerShown(view), ...(inline === undefined ? {} : { bears: inline }) };
}

function answerShown(view: View): Extract<Answer, { is: 'json' }> {
  return { is: 'json', status: 200, value: writeOperation(view) };
}

/** Cancelling what has ended changes nothing. */
function cancel(batch: Batch, { act }: Telling, world: World): Answer {
  if (act) batch.cancelAskedAt ??= world.clock.now();
  return answerJson({});
}

/** To delete is not to cancel: what runs goes on, and nobody can see it any more. */
function drop(batch: Batch, { act }: Telling, world: World): Answer {
  if (act) deleteBatch(world, batch);
  return answerJson({});
}

function list(call: Call, world: World): Task {
  const size = Math.min(Number(call.query.get('pageSize') ?? 50), 100);
  const token = call.query.get('pageToken');
  return {
    on: 'list',
    batch: null,
    part: null,
    carry: ({ at, bend, hides }) => {
      const all = listBatches(world, 'gemini', at).filter((batch) => !hides(batch));
      const rest = token === null ? all : all.slice(all.findIndex(({ id }) => id === token) + 1);
      const page = rest.slice(0, size);
      const operations = page.map((batch) => writeOperation(bend(readView(batch, at))));
      const next = rest.length > size ? { nextPageToken: page.at(-1)?.id } : {};
      return answerJson({ ...(operations.length === 0 ? {} : { operations }), ...next });
    },
  };
}
