import { type Answer, answerTo, tokensOf } from '../answers.ts';
import type { RequestLine, Result } from '../batch/run-lines.ts';
import { lineOfFault, spoiledLines } from '../batch/spoil.ts';
import type { AnyCallFault } from '../faults.ts';
import type { LineFault } from '../scenario.ts';
import { hexOf } from '../seed.ts';
import { bodyOf, brokenBody } from './bodies.ts';
import { formatOf, questionOf, servedModel } from './question.ts';
import { errorBody, errorOfFault } from './replies.ts';
import { strictProblem } from './strict-schema.ts';
import type { Endpoint } from './types.ts';
import { inputsOf, isWordless, wordlessBody, wordlessProblem } from './wordless.ts';

export interface LineContext {
  readonly batchId: string;
  readonly endpoint: Endpoint;
  /** Seconds. */
  readonly created: number;
}

/** Runs one request. Pure: the same request, context and fault give the same result. */
export function resultOf(
  request: RequestLine,
  bodyHash: string,
  context: LineContext,
  fault: LineFault | null,
): Result {
  const ids = hexOf(`${context.batchId} ${request.customId}`);
  const refused = refusalOf(request, context.endpoint, fault);
  const ran = refused ?? answered(request, bodyHash, ids, context, fault);
  const line =
    fault?.text === undefined
      ? lineOf(ids, request.customId, ran)
      : lineOfFault(fault.text, request.customId);
  return {
    customId: request.customId,
    bodyHash,
    status: ran.status,
    inputTokens: ran.inputTokens,
    outputTokens: ran.outputTokens,
    ...placed(line, ran.status === 200, ids, request.customId, fault),
  };
}

/** In which of the two files the line stands, and how. */
function placed(
  line: string,
  isGood: boolean,
  ids: string,
  customId: string,
  fault: LineFault | null,
): Pick<Result, 'output' | 'error'> {
  const toOutput = fault?.file === undefined ? isGood : fault.file === 'output';
  const contrary = () => contradiction(ids, customId);
  const how = fault?.result;
  if (how === 'both_files')
    return toOutput ? { output: line, error: contrary() } : { output: contrary(), error: line };
  const own = how === undefined ? line : spoiledLines(line, how, customId, contrary);
  return toOutput ? { output: own, error: '' } : { output: '', error: own };
}

/** The error line of a request that had not run when its batch ended. */
export function unrunLine(batchId: string, customId: string, end: 'expired' | 'cancelled'): string {
  const ids = hexOf(`${batchId} ${customId}`);
  return lineOf(ids, customId, { ...NOTHING, status: 0, text: JSON.stringify(UNRUN[end]) });
}

const UNRUN = {
  expired: {
    code: 'batch_expired',
    message: 'This request could not be executed before the completion window expired.',
  },
  cancelled: {
    code: 'batch_cancelled',
    message: 'This request could not be executed before the batch was cancelled.',
  },
} as const;

interface Ran {
  readonly status: number;
  /** The body's JSON, or with status 0 that of the error. */
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const NOTHING = { inputTokens: 0, outputTokens: 0 } as const;

function refusalOf(request: RequestLine, endpoint: Endpoint, fault: LineFault | null): Ran | null {
  if (fault?.status !== undefined && fault.status !== 200) {
    const body = errorOfFault(fault.status, fault as AnyCallFault);
    return { ...NOTHING, status: fault.status, text: JSON.stringify(body) };
  }
  if (fault?.code !== undefined) {
    const message = fault.message ?? 'The request could not be completed.';
    return { ...NOTHING, status: 0, text: JSON.stringify({ code: fault.code, message }) };
  }
  if (isWordless(endpoint)) {
    const problem = wordlessProblem(endpoint, request.body);
    return problem === null ? null : badRequest(errorBody(problem));
  }
  const message = strictProblem(formatOf(endpoint, request.body));
  if (message === null) return null;
  const param = endpoint === '/v1/responses' ? 'text.format.schema' : 'response_format';
  return badRequest(errorBody({ message, param, code: 'invalid_json_schema' }));
}

function badRequest(body: unknown): Ran {
  return { ...NOTHING, status: 400, text: JSON.stringify(body) };
}

function answered(
  request: RequestLine,
  bodyHash: string,
  ids: string,
  { endpoint, created }: LineContext,
  fault: LineFault | null,
): Ran {
  // Of an embedding the inputs are billed, and nothing else of the body.
  const billed = isWordless(endpoint) ? inputsOf(request.body).join('') : request.bodyText;
  const inputTokens = tokensOf(Buffer.byteLength(billed));
  const model = fault?.answer === 'other_model' ? 'another-model-2026-01-01' : servedModel(request.model);
  if (isWordless(endpoint)) {
    const numbers = { id: ids, model, inputTokens };
    const text =
      brokenBody(fault?.answer) ?? wordlessBody(endpoint, request.body, bodyHash, numbers, fault?.answer);
    return { ...NOTHING, status: 200, text, inputTokens: endpoint === '/v1/moderations' ? 0 : inputTokens };
  }
  const question = questionOf(endpoint, request.body);
  const answer: Answer = answerTo(question, bodyHash, fault?.answer);
  const served = { id: ids, model, created, inputTokens, maxTokens: question.maxTokens };
  const text = bodyOf(endpoint, answer, served, fault?.answer);
  return { status: 200, text, inputTokens, outputTokens: answer.outputTokens };
}

function lineOf(ids: string, customId: string, { status, text }: Ran): string {
  const head = `{"id":"batch_req_${ids.slice(0, 32)}","custom_id":${JSON.stringify(customId)},"response":`;
  if (status === 0) return `${head}null,"error":${text}}\n`;
  return `${head}{"status_code":${status},"request_id":"req_${ids.slice(32)}","body":${text}},"error":null}\n`;
}

function contradiction(ids: string, customId: string): string {
  const body = errorBody({ message: 'The server had an error.', type: 'server_error' });
  return lineOf(ids, customId, { ...NOTHING, status: 500, text: JSON.stringify(body) });
}
