import { type Batch, readTimeline } from '../batch.ts';
import { DAY } from '../clock.ts';
import { answerJson, answerOther, type Call, type Contract, type Task } from '../contract.ts';
import { type ResultFile, writeLines } from '../files.ts';
import { dig, isObject, type Json, parseText } from '../json.ts';
import type { Form, ResultLine, Run } from '../model.ts';
import { runSync } from '../work.ts';
import type { World } from '../world.ts';
import { nameFault, writeResponse } from './answers.ts';
import { create, routeBatches } from './batches.ts';
import { refuse, writeErrorBody } from './errors.ts';
import { KEEP_MS, routeFiles } from './files.ts';
import { routeUpload } from './upload.ts';

/** The batches and files of the Gemini Developer API, and its synchronous generateContent and embedContent. */
export const GEMINI: Contract = {
  name: 'gemini',
  plan: { windowMs: 2 * DAY },
  losesExpired: true,
  route,
  writeRun,
  writeLeft: () => null,
  storeResults,
  writeError: writeErrorBody,
  shape: {
    idField: 'key',
    readContent: (line) => dig(line, 'response'),
    writeContent: (line, response) => ({ ...line, response }),
  },
};

/** Tells whether a call can only be meant for Gemini. */
export function isGemini(call: Call): boolean {
  return (
    /^\/(?:(?:upload|download)\/)?v1(?:alpha|beta)\/|^\/(?:up|down)load\/|^\/v1\/models\/[^/]+:/.test(
      call.path,
    ) ||
    call.headers['x-goog-api-key'] !== undefined ||
    call.query.has('key')
  );
}

function route(call: Call, world: World): Task {
  const [, service, below = ''] = /^(?:\/(upload|download))?\/v1(?:alpha|beta)?(\/.*)$/.exec(call.path) ?? [];
  if (service === 'upload' && below === '/files') return routeUpload(call, world);
  const [, model, verb] = /^\/models\/([^/]+):(\w+)$/.exec(below) ?? [];
  if (model !== undefined && verb !== undefined) return routeModel(call, model, verb, world);
  const [, kind, rest = ''] = /^\/(files|batches)((?:\/|$).*)/.exec(below) ?? [];
  if (kind === 'files') return routeFiles(call, rest, world);
  if (kind === 'batches') return routeBatches(call, rest, world);
  return answerOther(() => refuse(404, `No ${call.path} here.`));
}

function routeModel(call: Call, model: string, verb: string, world: World): Task {
  switch (verb) {
    case 'batchGenerateContent':
      return create(call, model, 'generate', world);
    case 'asyncBatchEmbedContent':
      return create(call, model, 'embed', world);
    case 'generateContent':
      return ask(call, model, 'generate', world);
    case 'embedContent':
      return ask(call, model, 'embed', world);
    default:
      return answerOther(() => refuse(404, `The fake has no ${verb}.`));
  }
}

function ask(call: Call, model: string, form: Form, world: World): Task {
  const body = parseText(call.body.toString());
  return {
    on: 'ask',
    batch: null,
    part: null,
    carry: () => {
      if (!isObject(body)) return refuse(400, 'The body is no JSON.');
      const run = runSync(world, 'gemini', form, body, model);
      if (run.outcome.is === 'answer') return answerJson(writeResponse(run));
      const { http, message } = nameFault(run.outcome.error, model);
      return refuse(http, message);
    },
  };
}

function writeRun(run: Run): ResultLine {
  const { key, model } = run.row;
  const value: Json = { key };
  if (run.outcome.is === 'answer')
    return { part: 'output', key, value: { ...value, response: writeResponse(run) } };
  const { name, rpc, message } = nameFault(run.outcome.error, model);
  const error = { code: rpc, message, status: name };
  return { part: 'output', key, value: { ...value, error } };
}

/** One file for all lines; none where the batch failed or expired. */
function storeResults(batch: Batch, lines: ResultLine[]): ResultFile[] {
  const { last, endedAt } = readTimeline(batch);
  if (last === 'failed' || last === 'expired' || lines.length === 0) return [];
  return [
    {
      kind: 'result',
      id: batch.inputFile === null ? `inlined/${batch.id}` : `files/batch-${batch.id}`,
      provider: 'gemini',
      batch: batch.id,
      part: 'output',
      name: '',
      lines,
      bytes: writeLines(lines),
      createdAt: endedAt,
      expiresAt: endedAt + KEEP_MS,
      delivered: false,
    },
  ];
}
