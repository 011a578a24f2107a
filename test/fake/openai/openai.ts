import type { Batch } from '../batch.ts';
import { readTimeline } from '../batch.ts';
import { DAY } from '../clock.ts';
import { answerOther, type Call, type Contract, type Task } from '../contract.ts';
import { type ResultFile, writeLines } from '../files.ts';
import { dig, isObject, type Json, parseText } from '../json.ts';
import type { LastPhase } from '../life.ts';
import type { Form, Part, ResultLine, Row, Run } from '../model.ts';
import { runSync } from '../work.ts';
import type { World } from '../world.ts';
import { writeAnswer, writeErrorBody } from './answers.ts';
import { routeBatches } from './batches.ts';
import { routeFiles } from './files.ts';
import { FORMS } from './input.ts';

/** The OpenAI Batch API with its files, and the three synchronous endpoints that it batches. */
export const OPENAI: Contract = {
  name: 'openai',
  plan: {},
  losesExpired: false,
  route,
  writeRun,
  writeLeft,
  storeResults,
  writeError,
  shape: {
    idField: 'custom_id',
    readContent: (line) =>
      dig(line, 'response', 'status_code') === 200 ? dig(line, 'response', 'body') : undefined,
    writeContent: (line, body) => ({ ...line, response: { ...(line.response as Json), body } }),
  },
};

function route(call: Call, world: World): Task {
  const form = FORMS[call.path];
  if (form !== undefined && call.method === 'POST') return ask(call, form, world);
  if (/^\/v1\/files(\/|$)/.test(call.path)) return routeFiles(call, world);
  if (/^\/v1\/batches(\/|$)/.test(call.path)) return routeBatches(call, world);
  return answerOther(() => ({ is: 'json', status: 404, value: writeError(404, `No ${call.path} here.`) }));
}

function ask(call: Call, form: Form, world: World): Task {
  const body = parseText(call.body.toString());
  return {
    on: 'ask',
    batch: null,
    part: null,
    carry: () => {
      if (!isObject(body)) return { is: 'json', status: 400, value: writeError(400, 'The body is no JSON.') };
      const answer = writeAnswer(runSync(world, 'openai', form, body));
      return { is: 'json', status: answer.status, value: answer.body };
    },
  };
}

function writeRun(run: Run): ResultLine {
  const { status, body } = writeAnswer(run);
  const response = { status_code: status, request_id: `req_${run.responseId}`, body };
  const value = { id: `batch_req_${run.responseId}`, custom_id: run.row.key, response, error: null };
  return { part: status === 200 ? 'output' : 'error', key: run.row.key, value };
}

/** What has not run stands in the error file, with one of the documented codes. */
function writeLeft(row: Row, last: LastPhase): ResultLine | null {
  if (last === 'failed' || last === 'completed') return null;
  const error =
    last === 'expired'
      ? { code: 'batch_expired', message: 'The completion window passed before this request was executed.' }
      : { code: 'batch_cancelled', message: 'The batch was cancelled before this request was executed.' };
  const value = { id: `batch_req_${row.hash.slice(0, 24)}`, custom_id: row.key, response: null, error };
  return { part: 'error', key: row.key, value };
}

/** No file where there is no line for it. */
function storeResults(batch: Batch, lines: ResultLine[], world: World): ResultFile[] {
  const createdAt = readTimeline(batch).endedAt;
  const { emptyErrorFile, errorsInOutput } = world.quirks;
  return (['output', 'error'] satisfies Part[]).flatMap((part): ResultFile[] => {
    const own = lines.filter((line) => (errorsInOutput === true ? 'output' : line.part) === part);
    if (own.length === 0 && !(part === 'error' && emptyErrorFile === true)) return [];
    return [
      {
        kind: 'result',
        id: world.ids.next('file-', 22),
        provider: 'openai',
        batch: batch.id,
        part,
        name: `${batch.id}_${part}.jsonl`,
        lines: own,
        bytes: writeLines(own),
        createdAt,
        expiresAt: createdAt + 30 * DAY,
        delivered: false,
      },
    ];
  });
}

function writeError(status: number, message: string): Json {
  return writeErrorBody(message, status >= 500 ? 'server_error' : 'invalid_request_error', null);
}
