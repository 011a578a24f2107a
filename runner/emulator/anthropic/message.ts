import type { JsonObject } from '../../ids.ts';
import { type Answer, tokensOf } from '../answers.ts';
import { isArray, isObject, member } from '../json-value.ts';
import type { AnswerFault } from '../scenario.ts';
import { thinks } from './params.ts';

/** What a message is made of. */
export interface Served {
  /** Hex, 48 characters or more. */
  readonly id: string;
  readonly model: string;
  readonly params: JsonObject;
  readonly inputTokens: number;
  /** Somebody asked with the same system prompt before, so that it is in the cache. */
  readonly warm: boolean;
}

export interface Message {
  /** JSON. Built as text: at 100,000 a batch run, objects made only to be written cost. */
  readonly text: string;
  readonly outputTokens: number;
}

const STOPS = {
  complete: 'end_turn',
  token_cap: 'max_tokens',
  filter: 'refusal',
} as const satisfies Record<Answer['stop'], string>;

const THOUGHT_TOKENS = 20;

/** The model's answer as a `Message`. Thinking counts as output, within the cap. */
export function messageOf(answer: Answer, served: Served, fault: AnswerFault | undefined): Message {
  if (fault === 'empty_body') return { text: '{}', outputTokens: 0 };
  const cap = typeof served.params.max_tokens === 'number' ? served.params.max_tokens : 0;
  const room = Math.max(0, cap - answer.outputTokens);
  const thoughts = thinks(served.params) ? Math.min(THOUGHT_TOKENS, room) : 0;
  const outputTokens = answer.outputTokens + thoughts;
  const isRefusal = answer.kind === 'refusal' || answer.stop === 'filter';
  const text =
    `{"model":${JSON.stringify(served.model)},"id":"msg_${served.id.slice(0, 24)}","type":"message",` +
    `"role":"assistant","content":[${contentOf(answer, thoughts)}],"container":null,` +
    `"stop_reason":"${isRefusal ? 'refusal' : STOPS[answer.stop]}","stop_sequence":null,` +
    `"stop_details":${isRefusal ? REFUSAL_DETAILS : null},"usage":${usageOf(served, outputTokens, thoughts)}}`;
  return { text, outputTokens };
}

const REFUSAL_DETAILS =
  '{"type":"refusal","category":"general_harms","explanation":"The request could be related to harm."}';

/** Classifiers cut in before the model can say that it would not. */
function contentOf(answer: Answer, thoughts: number): string {
  const thinking = '{"type":"thinking","thinking":"Let me look at it closely.","signature":"c2lnbmF0dXJl"}';
  const isSilent = answer.kind === 'refusal' || answer.text === '';
  const text = isSilent ? [] : [`{"type":"text","text":${JSON.stringify(answer.text)},"citations":null}`];
  return [...(thoughts > 0 ? [thinking] : []), ...text].join(',');
}

/** `input_tokens` is what the cache had no part in. */
function usageOf({ params, inputTokens, warm }: Served, outputTokens: number, thoughts: number): string {
  const isMarked = isObject(params.cache_control);
  const cached = isMarked ? inputTokens : Math.min(inputTokens, cachedTokens(params));
  // A marker on the request stands behind its last block, which no other request has: nothing of it is there to be read.
  const [read, written] = warm && !isMarked ? [cached, 0] : [0, cached];
  const hour = JSON.stringify([params.system, params.cache_control]).includes('"ttl":"1h"');
  return (
    `{"input_tokens":${inputTokens - cached},"cache_creation_input_tokens":${written},` +
    `"cache_read_input_tokens":${read},"cache_creation":{"ephemeral_5m_input_tokens":${hour ? 0 : written},` +
    `"ephemeral_1h_input_tokens":${hour ? written : 0}},"output_tokens":${outputTokens},` +
    `"output_tokens_details":{"thinking_tokens":${thoughts}},"server_tool_use":null,"service_tier":"batch"}`
  );
}

/** Tokens of the system prompt, where one of its blocks asks for the cache. */
function cachedTokens({ system }: JsonObject): number {
  const asks = isArray(system) && system.some((block) => member(block, 'cache_control') !== undefined);
  return asks ? tokensOf(Buffer.byteLength(JSON.stringify(system))) : 0;
}
