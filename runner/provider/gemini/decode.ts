import type { Reply, ReplyResult } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, fieldsOf, readFields, textOf } from '../fields.ts';
import { malformed, replyOf } from '../line.ts';
import { firstEntries, isUnread, NOTHING, readParts, type Said, STRANGE } from '../parts.ts';
import { readVector } from '../vector.ts';
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
  const [candidate, ...others] = firstEntries(response.candidates);
  if (others.length > 0) return malformed('a response with several first candidates');
  if (candidate !== undefined) return candidateResult(response, candidate);
  const reason = textOf(fieldsOf(response.promptFeedback)?.blockReason);
  if (reason === null) return malformed('a response without candidates');
  const stop = { stop: 'filter', providerReason: `prompt blocked: ${reason}` } as const;
  return { ...provenance(response), texts: [], refusal: null, ...stop };
}

/** `SingleEmbedContentResponse` of @google/genai 3.3.0: it names no model, and has nothing that could stop early. */
function embeddingOf(response: Fields): ReplyResult {
  const values = readVector(fieldsOf(response.embedding)?.values);
  if (values === null) return malformed('an embedding without numbers');
  return {
    kind: 'answer',
    texts: [JSON.stringify(values)],
    refusal: null,
    stop: 'complete',
    providerReason: 'none',
    servedModel: null,
    responseId: null,
    usage: embeddingUsageOf(response),
  };
}

function candidateResult(response: Fields, candidate: Fields): ReplyResult {
  const { text, isStrange } = readContent(candidate.content);
  const reason = textOf(candidate.finishReason) ?? 'none';
  const stop = stopOf(reason, candidate);
  const answer: Answer = {
    ...provenance(response),
    texts: text === null ? [] : [text],
    refusal: stop === 'filter' ? textOf(candidate.finishMessage) : null,
    stop,
    providerReason: reason,
  };
  return isUnread(answer, isStrange) ? malformed('a response in which no text is found') : answer;
}

/** Several parts are one text. A candidate that was stopped may have no content, and a content no parts. */
function readContent(content: unknown): Said {
  if (content === undefined || content === null) return NOTHING;
  const fields = fieldsOf(content);
  if (fields === null) return STRANGE;
  const parts = fields.parts ?? [];
  return Array.isArray(parts) ? readParts(parts, textOfPart) : STRANGE;
}

/** `Part` of @google/genai 3.3.0: what may stand in one instead of text. */
const SILENT =
  /^(functionCall|functionResponse|executableCode|codeExecutionResult|inlineData|fileData|tool\w+)$/;

/** What the model thought is not its answer. */
function textOfPart(part: Fields): unknown {
  if (part.thought === true) return null;
  if (part.text !== undefined) return part.text;
  const names = Object.keys(part).filter((name) => name !== 'thoughtSignature');
  return names.length === 0 || names.some((name) => SILENT.test(name)) ? null : undefined;
}

/**
 * `FinishReason` of @google/genai 3.3.0. `OTHER` and `MALFORMED_RESPONSE` say nothing: like words that nobody knows here
 * they leave the answer open to doubt. There is none for a full context window: such a request is refused.
 */
const FINISH: Readonly<Record<string, Answer['stop']>> = {
  STOP: 'complete',
  MAX_TOKENS: 'token_cap',
  LANGUAGE: 'language',
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
function stopOf(reason: string, candidate: Fields): Answer['stop'] {
  const stop = Object.hasOwn(FINISH, reason) ? (FINISH[reason] ?? 'unknown') : 'unknown';
  const parts = fieldsOf(candidate.content)?.parts;
  const called =
    Array.isArray(parts) && parts.some((part) => fieldsOf(fieldsOf(part)?.functionCall) !== null);
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
