import { spoiledVector, vectorOf } from '../answer/vector.ts';
import { type Answer, answerTo, tokensOf } from '../answers.ts';
import type { RequestLine, Result } from '../batch/run-lines.ts';
import { lineOfFault, spoiledLines } from '../batch/spoil.ts';
import type { AnswerFault, LineFault } from '../scenario.ts';
import { drawFrom, hexOf, lettersOf, startOf } from '../seed.ts';
import { problemOf, questionOf, servedModel, thoughtsOf } from './question.ts';
import { rpcStatus, usualWords, type Word, wordOf, wordOfCode } from './replies.ts';
import type { Endpoint, GeminiBatch } from './types.ts';

/** Runs one request. Pure: the same request and fault give the same result. Failed lines stand among the answers. */
export function resultOf(
  { id, endpoint }: Pick<GeminiBatch, 'id' | 'endpoint'>,
  request: RequestLine,
  bodyHash: string,
  fault: LineFault | null,
): Result {
  const ids = hexOf(`${id} ${request.customId}`);
  const ran =
    refusalOf(endpoint, request, fault) ?? answeredAt(endpoint, request, bodyHash, ids, fault?.answer);
  const line =
    fault?.text === undefined
      ? lineOf(request.customId, ran.text)
      : lineOfFault(fault.text, request.customId);
  const contradiction = () => lineOf(request.customId, refused(500, 'INTERNAL').text);
  return {
    customId: request.customId,
    bodyHash,
    status: ran.status,
    inputTokens: ran.inputTokens,
    outputTokens: ran.outputTokens,
    output:
      fault?.result === undefined ? line : spoiledLines(line, fault.result, request.customId, contradiction),
    error: '',
  };
}

interface Ran {
  /** Of HTTP, for the charges; 0 where the request never became one. */
  readonly status: number;
  /** What stands beside the key: `"response":{…}` or `"error":{…}`. */
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

function refusalOf(endpoint: Endpoint, request: RequestLine, fault: LineFault | null): Ran | null {
  if (fault?.status !== undefined && fault.status !== 200)
    return refusedByFault(fault.status, wordOf(fault.status), fault);
  if (fault?.code !== undefined) return refusedByFault(0, wordOfCode(fault.code), fault);
  const problem = problemOf(endpoint, request.model, request.body);
  return problem === null ? null : refused(400, 'INVALID_ARGUMENT', problem);
}

function refusedByFault(status: number, word: Word, { message, code }: LineFault): Ran {
  return refused(status, word, message ?? usualWords(word, code));
}

function refused(status: number, word: Word, message = usualWords(word)): Ran {
  const text = `"error":${JSON.stringify(rpcStatus(word, message))}`;
  return { status, text, inputTokens: 0, outputTokens: 0 };
}

function answeredAt(
  endpoint: Endpoint,
  request: RequestLine,
  bodyHash: string,
  ids: string,
  fault: AnswerFault | undefined,
): Ran {
  return endpoint === 'embedContent'
    ? embedded(request, bodyHash, fault)
    : answered(request, bodyHash, ids, fault);
}

/** Of gemini-embedding-001 and -2. */
const MOST_DIMENSIONS = 3072;

/** The count is an int64, and so written as text. */
function embedded(request: RequestLine, bodyHash: string, fault: AnswerFault | undefined): Ran {
  const inputTokens = tokensOf(Buffer.byteLength(request.bodyText));
  const { outputDimensionality: asked } = request.body;
  const length = typeof asked === 'number' ? asked : MOST_DIMENSIONS;
  const values = spoiledVector(vectorOf(length, drawFrom(startOf(bodyHash))), fault);
  const body =
    brokenBody(fault) ?? JSON.stringify({ embedding: { values }, tokenCount: String(inputTokens) });
  return { status: 200, text: `"response":${body}`, inputTokens, outputTokens: 0 };
}

function answered(request: RequestLine, bodyHash: string, ids: string, fault: AnswerFault | undefined): Ran {
  const inputTokens = tokensOf(Buffer.byteLength(request.bodyText));
  // Gemini has no words of refusal: it blocks the prompt.
  if (fault === 'refusal') return blocked(request, ids, inputTokens);
  const answer = answerTo(questionOf(request.model, request.body), bodyHash, fault);
  const thoughts = thoughtsOf(request.body);
  const served = fault === 'other_model' ? 'another-model-001' : servedModel(request.model);
  const usage = usageText(inputTokens, answer.outputTokens, thoughts);
  const body = bodyOf(answer, `${usage},${provenance(served, ids)}`, fault);
  return {
    status: 200,
    text: `"response":${body}`,
    inputTokens,
    outputTokens: answer.outputTokens + thoughts,
  };
}

function blocked(request: RequestLine, ids: string, inputTokens: number): Ran {
  const usage = `"usageMetadata":{"promptTokenCount":${inputTokens},"totalTokenCount":${inputTokens}}`;
  const who = provenance(servedModel(request.model), ids);
  const text = `"response":{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},${usage},${who}}`;
  return { status: 200, text, inputTokens, outputTokens: 0 };
}

const STOPS = {
  complete: 'STOP',
  token_cap: 'MAX_TOKENS',
  filter: 'SAFETY',
} as const satisfies Record<Answer['stop'], string>;

/** As text: at 100,000 a batch run, objects made only to be written cost. */
function bodyOf(answer: Answer, rest: string, fault: AnswerFault | undefined): string {
  const broken = brokenBody(fault);
  if (broken !== null) return broken;
  const content = `"content":{"parts":[{"text":${JSON.stringify(answer.text)}}],"role":"model"}`;
  return `{"candidates":[{${content},"finishReason":"${STOPS[answer.stop]}","index":0}],${rest}}`;
}

function brokenBody(fault: AnswerFault | undefined): string | null {
  if (fault === 'empty_body') return '{}';
  const isError = fault === 'error_body';
  return isError ? `{"error":${JSON.stringify(rpcStatus('INTERNAL', usualWords('INTERNAL')))}}` : null;
}

/** Zeros are left out. */
function usageText(input: number, output: number, thoughts: number): string {
  const candidates = output === 0 ? '' : `,"candidatesTokenCount":${output}`;
  const thought = thoughts === 0 ? '' : `,"thoughtsTokenCount":${thoughts}`;
  const total = input + output + thoughts;
  return `"usageMetadata":{"promptTokenCount":${input}${candidates}${thought},"totalTokenCount":${total}}`;
}

function provenance(model: string, ids: string): string {
  return `"modelVersion":${JSON.stringify(model)},"responseId":"${lettersOf('', ids, 22)}"`;
}

function lineOf(key: string, text: string): string {
  return `{${text},"key":${JSON.stringify(key)}}\n`;
}
