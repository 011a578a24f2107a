import type { Reply, ReplyResult, Usage } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, readFields } from '../fields.ts';
import { malformed, replyOf } from '../line.ts';
import { chatResult } from './chat.ts';
import { aboutOf, bodyFacts } from './errors.ts';
import { embeddingResult, moderationResult } from './numbers.ts';
import { responsesResult } from './responses.ts';
import { usageOf } from './usage.ts';

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
  return isFailed(endpoint, body) ? failedResponse(status, body) : answerOf(endpoint, body);
}

/** A number or its digits; null where the line has none, and its body alone says what came of the request (OGX 1.5.0). */
function readStatus(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^\d{3}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
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

function isFailed(endpoint: Endpoint, { status }: Fields): boolean {
  return endpoint === '/v1/responses' && (status === 'failed' || status === 'cancelled');
}

/** A 200 line around a response that failed: its own error says why, and where it has none, something broke. */
function failedResponse(status: number | null, body: Fields): ReplyResult {
  const words = `the response is ${String(body.status)}`;
  return errorOf(status, { code: 'server_error', message: words }, usageOf('/v1/responses', body));
}

const READERS: Readonly<Partial<Record<Endpoint, (body: Fields) => ReplyResult>>> = {
  '/v1/responses': responsesResult,
  '/v1/chat/completions': chatResult,
  '/v1/embeddings': embeddingResult,
  '/v1/moderations': moderationResult,
};

function answerOf(endpoint: Endpoint, body: Fields): ReplyResult {
  return READERS[endpoint]?.(body) ?? malformed('an answer of no endpoint of OpenAI’s');
}
