import { answerTo, tokensOf } from '../answers.ts';
import type { RequestLine, Result } from '../batch/run-lines.ts';
import { lineOfFault, spoiledLines } from '../batch/spoil.ts';
import type { AnyCallFault } from '../faults.ts';
import type { AnswerFault, LineFault } from '../scenario.ts';
import { hexOf } from '../seed.ts';
import { messageOf } from './message.ts';
import { problemOf, questionOf, servedModel } from './params.ts';
import { errorBody, errorOfFault, knownType } from './replies.ts';

export interface LineContext {
  readonly batchId: string;
  readonly version: string;
  /** Those that exist; null for any. */
  readonly models: readonly string[] | null;
  readonly warm: boolean;
}

/** Runs one request. Pure: the same request, context and fault give the same result. All results stand in one file. */
export function resultOf(
  request: RequestLine,
  bodyHash: string,
  context: LineContext,
  fault: LineFault | null,
): Result {
  const { customId } = request;
  const ids = hexOf(`${context.batchId} ${customId}`);
  const ran = refusalOf(request, context, fault) ?? answered(request, bodyHash, ids, context, fault?.answer);
  const line = fault?.text === undefined ? lineOf(customId, ran.text) : lineOfFault(fault.text, customId);
  const contradiction = () => lineOf(customId, errored(500, {}).text);
  return {
    customId,
    bodyHash,
    status: ran.status,
    inputTokens: ran.inputTokens,
    outputTokens: ran.outputTokens,
    output: fault?.result === undefined ? line : spoiledLines(line, fault.result, customId, contradiction),
    error: '',
  };
}

/** The line of a request that had not run when its batch ended. */
export function unrunLine(customId: string, type: 'expired' | 'canceled'): string {
  return lineOf(customId, `{"type":"${type}"}`);
}

/** The line of a request whose whole batch a scenario lets fail with one code. */
export function failedLine(customId: string, { fail = '', fail_message }: AnyCallFault): string {
  const message = fail_message ?? 'The request was not run.';
  // A full queue is OpenAI's usual reason to fail a whole batch.
  const type = knownType(fail) ?? (/limit/.test(fail) ? 'rate_limit_error' : 'api_error');
  return lineOf(customId, erroredText(errorBody(400, { type, message })));
}

interface Ran {
  /** Of HTTP, for the charges; 0 where the request never ran. */
  readonly status: number;
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const NOTHING = { inputTokens: 0, outputTokens: 0 } as const;

function refusalOf(
  request: RequestLine,
  { version, models }: LineContext,
  fault: LineFault | null,
): Ran | null {
  if (fault?.status !== undefined && fault.status !== 200) return errored(fault.status, fault);
  if (fault?.code !== undefined) return unrunOrErrored(fault.code, fault);
  const problem = problemOf(request.body, version);
  if (problem !== null) return errored(400, { message: problem });
  const isKnown = models === null || models.includes(request.model);
  return isKnown ? null : errored(404, { message: `model: ${request.model}` });
}

/** A code without a status: a request that never ran. OpenAI's words for that are understood too. */
function unrunOrErrored(code: string, fault: LineFault): Ran {
  const type = UNRUN[code];
  if (type !== undefined) return { ...NOTHING, status: 0, text: `{"type":"${type}"}` };
  return { ...errored(500, fault), status: 0 };
}

const UNRUN: Readonly<Record<string, string>> = {
  expired: 'expired',
  batch_expired: 'expired',
  canceled: 'canceled',
  batch_cancelled: 'canceled',
};

function errored(status: number, fault: LineFault): Ran {
  return { ...NOTHING, status, text: erroredText(errorOfFault(status, fault as AnyCallFault)) };
}

function erroredText(error: object): string {
  return `{"type":"errored","error":${JSON.stringify(error)}}`;
}

function answered(
  request: RequestLine,
  bodyHash: string,
  ids: string,
  { warm }: LineContext,
  fault: AnswerFault | undefined,
): Ran {
  if (fault === 'error_body') return errored(500, {});
  const answer = answerTo(questionOf(request.body), bodyHash, fault);
  const inputTokens = tokensOf(Buffer.byteLength(request.bodyText));
  const model = fault === 'other_model' ? 'another-model-20260101' : servedModel(request.model);
  const served = { id: ids, model, params: request.body, inputTokens, warm };
  const { text, outputTokens } = messageOf(answer, served, fault);
  return { status: 200, text: `{"type":"succeeded","message":${text}}`, inputTokens, outputTokens };
}

function lineOf(customId: string, result: string): string {
  return `{"custom_id":${JSON.stringify(customId)},"result":${result}}\n`;
}
