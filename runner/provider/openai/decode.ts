import type { Reply, ReplyResult, Usage } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, fieldsOf, readFields } from '../fields.ts';
import { malformed, replyOf } from '../line.ts';
import { aboutOf, bodyFacts } from './errors.ts';
import { usageOf } from './usage.ts';

type Answer = Extract<ReplyResult, { kind: 'answer' }>;

/**
 * One line of an output or error file, whichever it stands in: a failed request may be in the output file, an
 * answer's line may hold an error with status 200, so only the content counts (openai-openapi#302,
 * artefactory/artefactual#332). An object may stand there as text (OGX 1.5.0). Pure; never throws.
 */
export function decode(endpoint: Endpoint, line: string): Reply {
  return replyOf(line, 'custom_id', (fields) => resultOf(endpoint, fields));
}

function resultOf(endpoint: Endpoint, line: Fields): ReplyResult {
  if (isError(line.error)) return errorOf(null, line.error, null);
  const response = readFields(line.response);
  if (response === null) return malformed('neither a response nor an error');
  const status = readStatus(response.status_code);
  if (status === undefined) return malformed('a response whose status is no number');
  const body = readFields(response.body);
  if (status !== null && (status < 200 || status > 299))
    return errorOf(status, body?.error ?? body ?? response.body, usageOf(endpoint, body));
  if (body === null) return malformed('a response without a body');
  if (isError(body.error)) return errorOf(status, body.error, usageOf(endpoint, body));
  return answerOf(endpoint, status, body);
}

/** A number or its digits; null where the line has none, and its body alone says what came of the request (OGX 1.5.0). */
function readStatus(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^\d{3}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
}

type Reader = (status: number | null, body: Fields) => ReplyResult;

const READERS: Readonly<Partial<Record<Endpoint, Reader>>> = {
  '/v1/responses': responsesResult,
  '/v1/chat/completions': (_, body) => chatResult(body),
  '/v1/embeddings': (_, body) => embeddingResult(body),
  '/v1/moderations': (_, body) => moderationResult(body),
};

function answerOf(endpoint: Endpoint, status: number | null, body: Fields): ReplyResult {
  return READERS[endpoint]?.(status, body) ?? malformed('an answer of no endpoint of OpenAI’s');
}

/** Some servers write `{}` or `""` where there was no error. */
function isError(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The two of the three codes a line can have without a response that mean "never ran" (OpenAI batch reference). */
const UNRUN: Readonly<Record<string, 'expired' | 'cancelled'>> = {
  batch_expired: 'expired',
  batch_cancelled: 'cancelled',
};

function errorOf(status: number | null, error: unknown, usage: Usage | null): ReplyResult {
  const facts = {
    status,
    ...bodyFacts(error, status === null ? 'an error without words' : `HTTP ${status}`),
  };
  const code = facts.code ?? facts.type;
  const unrun = code !== null && Object.hasOwn(UNRUN, code) ? (UNRUN[code] ?? null) : null;
  return { kind: 'error', status, code, message: facts.message, usage, unrun, about: aboutOf(facts) };
}

/** `/v1/responses`: `Response` of the openai SDK 7.59.0. */
function responsesResult(status: number | null, body: Fields): ReplyResult {
  if (body.status === 'failed' || body.status === 'cancelled') return failedResponse(status, body);
  if (!Array.isArray(body.output)) return malformed('a response without output');
  const items = body.output.map(fieldsOf);
  const parts = items.flatMap((item) => (isAnswer(item) ? partsOf(item?.content) : []));
  return {
    ...provenance('/v1/responses', body),
    text: joined(parts, 'output_text', 'text'),
    refusal: joined(parts, 'refusal', 'refusal'),
    ...responsesStop(body, items),
  };
}

/** Newer models think aloud in messages marked `commentary`; joined to the answer they would break its JSON. */
function isAnswer(item: Fields | null): boolean {
  return item?.type === 'message' && item.phase !== 'commentary';
}

/** A 200 line around a response that failed: its own error says why, and where it has none, something broke. */
function failedResponse(status: number | null, body: Fields): ReplyResult {
  const words = `the response is ${String(body.status)}`;
  return errorOf(status, { code: 'server_error', message: words }, usageOf('/v1/responses', body));
}

function partsOf(content: unknown): readonly (Fields | null)[] {
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

/** Several parts of one kind are one text; null where there is none. Reasoning is neither text nor refusal. */
function joined(parts: readonly (Fields | null)[], type: string, field: string): string | null {
  const texts = parts.filter((part) => part?.type === type).map((part) => part?.[field]);
  const strings = texts.filter((text) => typeof text === 'string');
  return strings.length === 0 ? null : strings.join('');
}

type Stop = Pick<Answer, 'stop' | 'providerReason'>;

const INCOMPLETE: Readonly<Record<string, Answer['stop']>> = {
  max_output_tokens: 'token_cap',
  content_filter: 'filter',
};

/** Calls that wait for us to run something. Calls of hosted tools (`web_search_call` …) end before the answer. */
const CLIENT_CALLS: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
]);

function responsesStop(body: Fields, items: readonly (Fields | null)[]): Stop {
  if (body.status === 'incomplete') {
    const reason = wordOf(fieldsOf(body.incomplete_details)?.reason);
    return { stop: lookedUp(INCOMPLETE, reason), providerReason: `incomplete: ${reason}` };
  }
  const call = items.find((item) => CLIENT_CALLS.has(item?.type));
  if (call) return { stop: 'tool', providerReason: wordOf(call.type) };
  const reason = wordOf(body.status);
  return { stop: reason === 'completed' ? 'complete' : 'unknown', providerReason: reason };
}

/** `/v1/chat/completions`: `ChatCompletion` of the openai SDK 7.59.0. */
function chatResult(body: Fields): ReplyResult {
  const choice = Array.isArray(body.choices) ? fieldsOf(body.choices[0]) : null;
  const message = fieldsOf(choice?.message);
  if (choice === null || message === null) return malformed('a completion without choices');
  return {
    ...provenance('/v1/chat/completions', body),
    text: chatText(message.content),
    refusal: typeof message.refusal === 'string' && message.refusal !== '' ? message.refusal : null,
    ...chatStop(choice, message),
  };
}

/** A string, as documented; some OpenAI-shaped servers send a list of parts. */
function chatText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  return joined(partsOf(content), 'text', 'text');
}

const FINISH: Readonly<Record<string, Answer['stop']>> = {
  stop: 'complete',
  length: 'token_cap',
  content_filter: 'filter',
  tool_calls: 'tool',
  function_call: 'tool',
};

function chatStop(choice: Fields, message: Fields): Stop {
  const reason = wordOf(choice.finish_reason);
  const stop = lookedUp(FINISH, reason);
  const called = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  return { stop: stop === 'complete' && called ? 'tool' : stop, providerReason: reason };
}

/** `/v1/embeddings`: `CreateEmbeddingResponse` of the openai SDK 7.59.0. A line of ours has one input. */
function embeddingResult(body: Fields): ReplyResult {
  const [first] = Array.isArray(body.data) ? body.data : [];
  const numbers = fieldsOf(first)?.embedding;
  if (!Array.isArray(numbers)) return malformed('an embedding without numbers');
  return { ...provenance('/v1/embeddings', body), ...whole(numbers) };
}

/** `/v1/moderations`: `ModerationCreateResponse` of the openai SDK 7.59.0. It counts no tokens, since it is free. */
function moderationResult(body: Fields): ReplyResult {
  const result = fieldsOf(Array.isArray(body.results) ? body.results[0] : null);
  if (result === null) return malformed('a moderation without results');
  const known = provenance('/v1/moderations', body);
  return { ...known, usage: known.usage ?? NO_TOKENS, ...whole(result) };
}

const NO_TOKENS: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** These two have no words that could stop early, and no reason for stopping. */
function whole(value: unknown): Pick<Answer, 'text' | 'refusal' | 'stop' | 'providerReason'> {
  return { text: JSON.stringify(value), refusal: null, stop: 'complete', providerReason: 'none' };
}

function lookedUp(table: Readonly<Record<string, Answer['stop']>>, reason: string): Answer['stop'] {
  return Object.hasOwn(table, reason) ? (table[reason] ?? 'unknown') : 'unknown';
}

function wordOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : 'none';
}

function provenance(
  endpoint: Endpoint,
  body: Fields,
): Pick<Answer, 'kind' | 'servedModel' | 'responseId' | 'usage'> {
  return {
    kind: 'answer',
    servedModel: typeof body.model === 'string' && body.model !== '' ? body.model : null,
    responseId: typeof body.id === 'string' && body.id !== '' ? body.id : null,
    usage: usageOf(endpoint, body),
  };
}
