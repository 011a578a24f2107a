import type { Reply, ReplyResult } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, fieldsOf, readFields, textOf } from '../fields.ts';
import { malformed, replyOf } from '../line.ts';
import { isUnread, readParts, type Said } from '../parts.ts';
import { aboutOf, errorFacts } from './errors.ts';
import { usageOf } from './usage.ts';

type Answer = Extract<ReplyResult, { kind: 'answer' }>;

/**
 * One line of a batch's results: `MessageBatchIndividualResponse` of @anthropic-ai/sdk 1.14.0, in which an object may stand
 * as text. Pure; never throws.
 */
export function decode(_endpoint: Endpoint, line: string): Reply {
  return replyOf(line, 'custom_id', ({ result }) => resultOf(readFields(result)));
}

function resultOf(result: Fields | null): ReplyResult {
  switch (result?.type) {
    case 'succeeded':
      return messageResult(readFields(result.message));
    case 'errored':
      return errorResult(result.error);
    case 'expired':
      return unrun('expired', 'The batch expired before this request was run.');
    case 'canceled':
      return unrun('cancelled', 'The batch was cancelled before this request was run.');
    default:
      return malformed(result === null ? 'no result' : 'a result of a type that nobody knows');
  }
}

/** Not billed, so there is no usage (Anthropic batch guide, "Retrieving batch results"). */
function errorResult(error: unknown): ReplyResult {
  const facts = errorFacts(null, error, 'an error without words');
  return {
    kind: 'error',
    status: null,
    code: facts.code ?? facts.type,
    message: facts.message,
    usage: null,
    unrun: null,
    about: aboutOf(facts),
  };
}

function unrun(why: 'expired' | 'cancelled', message: string): ReplyResult {
  return { kind: 'error', status: null, code: null, message, usage: null, unrun: why, about: 'server' };
}

function messageResult(message: Fields | null): ReplyResult {
  const said = message === null ? null : readContent(message.content);
  if (message === null || said === null) return malformed('a message without content');
  const answer: Answer = {
    kind: 'answer',
    texts: said.text === null ? [] : [said.text],
    refusal: message.stop_reason === 'refusal' ? refusalOf(fieldsOf(message.stop_details)) : null,
    ...stopOf(message),
    servedModel: textOf(message.model),
    responseId: textOf(message.id),
    usage: usageOf(message),
  };
  return isUnread(answer, said.isStrange) ? malformed('a message in which no text is found') : answer;
}

/** Several blocks of text are one answer. Some gateways write the text alone. Null where it is neither. */
function readContent(content: unknown): Said | null {
  if (typeof content === 'string') return { text: content, isStrange: false };
  return Array.isArray(content) ? readParts(content, textOfBlock) : null;
}

/** `ContentBlock`: thinking, and the blocks of tools with what came of them, are no part of the answer. */
function textOfBlock({ type, text }: Fields): unknown {
  if (type === 'text') return text;
  const isSilent =
    typeof type === 'string' && /thinking$|tool_use$|tool_result$|^container_upload$/.test(type);
  return isSilent ? null : undefined;
}

/** `RefusalStopDetails`: either may be null. */
function refusalOf(details: Fields | null): string {
  const said = [details?.category, details?.explanation].map(textOf).filter((text) => text !== null);
  return said.length === 0 ? 'refusal' : said.join(': ');
}

type Stop = Pick<Answer, 'stop' | 'providerReason'>;

/** `StopReason`. `pause_turn` waits for us to go on, which a batch cannot; what it leaves is half an answer. */
const STOPS: ReadonlyMap<unknown, Answer['stop']> = new Map<unknown, Answer['stop']>([
  ['end_turn', 'complete'],
  ['stop_sequence', 'complete'],
  ['max_tokens', 'token_cap'],
  ['model_context_window_exceeded', 'context_window'],
  ['tool_use', 'tool'],
  ['refusal', 'filter'],
]);

function stopOf(message: Fields): Stop {
  const stop = STOPS.get(message.stop_reason) ?? 'unknown';
  const blocks = Array.isArray(message.content) ? message.content.map(fieldsOf) : [];
  const called = blocks.some((block) => block?.type === 'tool_use');
  return {
    stop: stop === 'complete' && called ? 'tool' : stop,
    providerReason: textOf(message.stop_reason) ?? 'none',
  };
}
