import type { ReplyResult } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import { malformed } from '../line.ts';
import { isUnread, NOTHING, type Said, STRANGE } from '../parts.ts';
import {
  type Answer,
  CONTEXT_STOPS,
  lookedUp,
  provenance,
  readContent,
  refusalIn,
  type Stop,
  wordOf,
} from './answer.ts';

/** A response that is no failure: `Response` of the openai SDK 7.59.0. Each message in it is a text of its own. */
export function responsesResult(body: Fields): ReplyResult {
  if (!Array.isArray(body.output)) return malformed('a response without output');
  const items = body.output.map(fieldsOf);
  const said = items.map(saidBy);
  const refusals = items.flatMap((item) => (isAnswer(item) ? (refusalIn(item?.content) ?? []) : []));
  const answer: Answer = {
    ...provenance('/v1/responses', body),
    texts: said.flatMap(({ text }) => text ?? []),
    refusal: refusals.length === 0 ? null : refusals.join(''),
    ...stopOf(body, items),
  };
  return isUnread(
    answer,
    said.some(({ isStrange }) => isStrange),
  )
    ? malformed('a response in which no text is found')
    : answer;
}

/** Newer models think aloud in messages marked `commentary`, which are no part of the answer. */
function isAnswer(item: Fields | null): boolean {
  return item?.type === 'message' && item.phase !== 'commentary';
}

function saidBy(item: Fields | null): Said {
  if (isAnswer(item)) return readContent(item?.content);
  return item?.type === 'message' || isSilent(item?.type) ? NOTHING : STRANGE;
}

/** Reasoning, and calls of tools with what came of them. */
function isSilent(type: unknown): boolean {
  return typeof type === 'string' && /^(reasoning|compaction)$|^mcp_|_call(_output)?$/.test(type);
}

const INCOMPLETE: Readonly<Record<string, Answer['stop']>> = {
  max_output_tokens: 'token_cap',
  content_filter: 'filter',
  ...CONTEXT_STOPS,
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

function stopOf(body: Fields, items: readonly (Fields | null)[]): Stop {
  if (body.status === 'incomplete') {
    const reason = wordOf(fieldsOf(body.incomplete_details)?.reason);
    return { stop: lookedUp(INCOMPLETE, reason), providerReason: `incomplete: ${reason}` };
  }
  const call = items.find((item) => CLIENT_CALLS.has(item?.type));
  if (call) return { stop: 'tool', providerReason: wordOf(call.type) };
  const reason = wordOf(body.status);
  return { stop: reason === 'completed' ? 'complete' : 'unknown', providerReason: reason };
}
