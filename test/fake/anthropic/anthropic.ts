import { type Batch, readTimeline } from '../batch.ts';
import { answerJson, answerOther, type Call, type Contract, type Task } from '../contract.ts';
import { type ResultFile, writeLines } from '../files.ts';
import { dig, isObject, type Json, parseText } from '../json.ts';
import type { LastPhase } from '../life.ts';
import type { ResultLine, Row, Run } from '../model.ts';
import { runSync } from '../work.ts';
import type { World } from '../world.ts';
import { nameError, writeErrorBody, writeMessage } from './answers.ts';
import { KEEP_MS } from './batch.ts';
import { routeBatches } from './batches.ts';
import { nameType, refuse } from './errors.ts';

/** Anthropic's Message Batches, and the synchronous messages endpoint. */
export const ANTHROPIC: Contract = {
  name: 'anthropic',
  plan: {},
  losesExpired: false,
  route,
  writeRun,
  writeLeft,
  storeResults,
  writeError: (status, message) => writeErrorBody(nameType(status), message, 'req_of_a_gateway'),
  shape: {
    idField: 'custom_id',
    readContent: (line) => dig(line, 'result', 'message'),
    writeContent: (line, message) => ({ ...line, result: { ...(line.result as Json), message } }),
  },
};

function route(call: Call, world: World): Task {
  if (/^\/v1\/messages\/batches(\/|$)/.test(call.path)) return routeBatches(call, world);
  if (call.path === '/v1/messages' && call.method === 'POST') return ask(call, world);
  return answerOther(() => refuse(world, 404, `No ${call.path} here.`));
}

function ask(call: Call, world: World): Task {
  const body = parseText(call.body.toString());
  return {
    on: 'ask',
    batch: null,
    part: null,
    carry: () => {
      if (!isObject(body)) return refuse(world, 400, 'The body is no JSON.');
      const run = runSync(world, 'anthropic', 'messages', body);
      if (run.outcome.is === 'answer') return answerJson(writeMessage(run));
      const { status, message } = nameError(run.outcome.error, run.row.model);
      return refuse(world, status, message);
    },
  };
}

function writeRun(run: Run): ResultLine {
  if (run.outcome.is === 'answer')
    return writeLine(run.row, { type: 'succeeded', message: writeMessage(run) });
  const { type, message } = nameError(run.outcome.error, run.row.model);
  return writeLine(run.row, writeErrored(type, message, run.responseId));
}

/** Each request has a line, also one that has not run. A batch does not fail as a whole: each line does. */
function writeLeft(row: Row, last: LastPhase): ResultLine {
  if (last === 'expired') return writeLine(row, { type: 'expired' });
  if (last === 'cancelled') return writeLine(row, { type: 'canceled' });
  const error = writeErrored('invalid_request_error', 'The parameters are not valid.', row.hash.slice(0, 24));
  return writeLine(row, error);
}

function writeErrored(type: string, message: string, id: string): Json {
  return { type: 'errored', error: writeErrorBody(type, message, `req_${id}`) };
}

function writeLine(row: Row, result: Json): ResultLine {
  return { part: 'output', key: row.key, value: { custom_id: row.key, result } };
}

/** The results have no file id; they are kept under the id of their batch, until 29 days after its creation. */
function storeResults(batch: Batch, lines: ResultLine[]): ResultFile[] {
  return [
    {
      kind: 'result',
      id: batch.id,
      provider: 'anthropic',
      batch: batch.id,
      part: 'output',
      name: `${batch.id}_results.jsonl`,
      lines,
      bytes: writeLines(lines),
      createdAt: readTimeline(batch).endedAt,
      expiresAt: batch.createdAt + KEEP_MS,
      delivered: false,
    },
  ];
}
