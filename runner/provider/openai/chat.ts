import type { ReplyResult } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf, textOf } from '../fields.ts';
import { malformed } from '../line.ts';
import { firstEntries, isUnread } from '../parts.ts';
import {
  type Answer,
  CONTEXT_STOPS,
  lookedUp,
  provenance,
  readContent,
  type Stop,
  wordOf,
} from './answer.ts';

/** `/v1/chat/completions`: `ChatCompletion` of the openai SDK 7.59.0. */
export function chatResult(body: Fields): ReplyResult {
  const [choice, ...others] = firstEntries(body.choices);
  const message = fieldsOf(choice?.message);
  if (choice === undefined || message === null) return malformed('a completion without choices');
  if (others.length > 0) return malformed('a completion with several first choices');
  const { text, isStrange } = readContent(message.content);
  const answer: Answer = {
    ...provenance('/v1/chat/completions', body),
    texts: text === null ? [] : [text],
    refusal: textOf(message.refusal),
    ...stopOf(choice, message),
  };
  return isUnread(answer, isStrange) ? malformed('a completion in which no text is found') : answer;
}

const FINISH: Readonly<Record<string, Answer['stop']>> = {
  stop: 'complete',
  length: 'token_cap',
  content_filter: 'filter',
  tool_calls: 'tool',
  function_call: 'tool',
  ...CONTEXT_STOPS,
};

function stopOf(choice: Fields, message: Fields): Stop {
  const reason = wordOf(choice.finish_reason);
  const stop = lookedUp(FINISH, reason);
  const called = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  return { stop: stop === 'complete' && called ? 'tool' : stop, providerReason: reason };
}
