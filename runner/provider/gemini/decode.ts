import type { Reply, ReplyResult } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, fieldsOf, readFields, textOf } from '../fields.ts';
import { malformed, replyOf } from '../line.ts';
import { aboutOf, errorFacts } from './errors.ts';
import { embeddingUsageOf, usageOf } from './usage.ts';

type Answer = Extract<ReplyResult, { kind: 'answer' }>;

/** One line of a result file: an answer or an error under the `key` that was sent, as an object or as its text. Pure; never throws. */
export function decode(endpoint: Endpoint, line: string): Reply {
  return replyOf(line, 'key', (fields) => resultOf(endpoint, fields));
}

/** The batch guide calls the error of a line a status object. */
function resultOf(endpoint: Endpoint, line: Fields): ReplyResult {
  const response = readFields(line.response);
  const error = [line.error, line.status, response?.error].find(isError);
  if (error !== undefined) return errorOf(error, response);
  if (response === null) return malformed('neither a response nor an error');
  return endpoint === 'embedContent' ? embeddingOf(response) : answerOf(response);
}

/** Some servers write `{}` or `""` where there was no error. */
function isError(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function errorOf(value: unknown, response: Fields | null): ReplyResult {
  const facts = errorFacts(value, 'an error without words');
  return {
    kind: 'error',
    status: facts.status,
    code: facts.word ?? facts.reason,
    message: facts.message,
    usage: usageOf(response),
    unrun: facts.word === 'CANCELLED' ? 'cancelled' : null,
    about: aboutOf(facts),
  };
}

function answerOf(response: Fields): ReplyResult {
  const candidate = Array.isArray(response.candidates) ? fieldsOf(response.candidates[0]) : null;
  if (candidate !== null) return { ...provenance(response), ...saidBy(candidate) };
  const reason = textOf(fieldsOf(response.promptFeedback)?.blockReason);
  if (reason === null) return malformed('a response without candidates');
  return { ...provenance(response), ...NOTHING, stop: 'filter', providerReason: `prompt blocked: ${reason}` };
}

/** `SingleEmbedContentResponse` of @google/genai 3.3.0: it names no model, and has nothing that could stop early. */
function embeddingOf(response: Fields): ReplyResult {
  const values = fieldsOf(response.embedding)?.values;
  if (!Array.isArray(values)) return malformed('an embedding without numbers');
  return {
    kind: 'answer',
    text: JSON.stringify(values),
    refusal: null,
    stop: 'complete',
    providerReason: 'none',
    servedModel: null,
    responseId: null,
    usage: embeddingUsageOf(response),
  };
}

type Said = Pick<Answer, 'text' | 'refusal' | 'stop' | 'providerReason'>;

const NOTHING = { text: null, refusal: null } as const;

function saidBy(candidate: Fields): Said {
  const parts = partsOf(candidate);
  const reason = textOf(candidate.finishReason) ?? 'none';
  const stop = stopOf(reason, parts);
  const words = textOf(candidate.finishMessage);
  return { text: textIn(parts), refusal: stop === 'filter' ? words : null, stop, providerReason: reason };
}

function partsOf(candidate: Fields): readonly (Fields | null)[] {
  const parts = fieldsOf(candidate.content)?.parts;
  return Array.isArray(parts) ? parts.map(fieldsOf) : [];
}

/** Several parts are one text; null where there is none. What the model thought is not its answer. */
function textIn(parts: readonly (Fields | null)[]): string | null {
  const texts = parts.filter((part) => part?.thought !== true).map((part) => part?.text);
  const strings = texts.filter((text) => typeof text === 'string');
  return strings.length === 0 ? null : strings.join('');
}

/**
 * `FinishReason` of @google/genai 3.3.0. `LANGUAGE` (a language that the model does not have) and `OTHER` are no
 * matter of policy: like words that nobody knows here they leave the answer open to doubt.
 */
const FINISH: Readonly<Record<string, Answer['stop']>> = {
  STOP: 'complete',
  MAX_TOKENS: 'token_cap',
  SAFETY: 'filter',
  RECITATION: 'filter',
  BLOCKLIST: 'filter',
  PROHIBITED_CONTENT: 'filter',
  SPII: 'filter',
  IMAGE_SAFETY: 'filter',
  IMAGE_PROHIBITED_CONTENT: 'filter',
  IMAGE_RECITATION: 'filter',
  MALFORMED_FUNCTION_CALL: 'tool',
  UNEXPECTED_TOOL_CALL: 'tool',
  TOO_MANY_TOOL_CALLS: 'tool',
};

/** A call that waits for us to run something also ends with STOP. Code that Google runs itself ends before the answer. */
function stopOf(reason: string, parts: readonly (Fields | null)[]): Answer['stop'] {
  const stop = Object.hasOwn(FINISH, reason) ? (FINISH[reason] ?? 'unknown') : 'unknown';
  const called = parts.some((part) => fieldsOf(part?.functionCall) !== null);
  return stop === 'complete' && called ? 'tool' : stop;
}

function provenance(response: Fields): Pick<Answer, 'kind' | 'servedModel' | 'responseId' | 'usage'> {
  return {
    kind: 'answer',
    servedModel: textOf(response.modelVersion),
    responseId: textOf(response.responseId),
    usage: usageOf(response),
  };
}
