import type { ReplyResult } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, fieldsOf, textOf } from '../fields.ts';
import { NOTHING, readParts, type Said, STRANGE } from '../parts.ts';
import { usageOf } from './usage.ts';

/** What the readers of all four endpoints share. */

export type Answer = Extract<ReplyResult, { kind: 'answer' }>;
export type Stop = Pick<Answer, 'stop' | 'providerReason'>;

export function provenance(
  endpoint: Endpoint,
  body: Fields,
): Pick<Answer, 'kind' | 'servedModel' | 'responseId' | 'usage'> {
  return {
    kind: 'answer',
    servedModel: textOf(body.model),
    responseId: textOf(body.id),
    usage: usageOf(endpoint, body),
  };
}

/** A message's content: a list of parts at `/v1/responses`, a text at the chat endpoint, and at some servers the other. */
export function readContent(content: unknown): Said {
  if (content === undefined || content === null) return NOTHING;
  if (typeof content === 'string') return { text: content, isStrange: false };
  return Array.isArray(content) ? readParts(content, textOfPart) : STRANGE;
}

/** Beside the text; Mistral's `thinking`, and what models served by vLLM think. */
const SILENT_PARTS: ReadonlySet<unknown> = new Set([
  'refusal',
  'reasoning',
  'reasoning_text',
  'summary_text',
  'thinking',
  'redacted_thinking',
]);

function textOfPart(part: Fields): unknown {
  if (part.type === 'output_text' || part.type === 'text') return part.text;
  return SILENT_PARTS.has(part.type) ? null : undefined;
}

/** Null where there is no such part; one without a word is a refusal too. */
export function refusalIn(content: unknown): string | null {
  const parts = Array.isArray(content) ? content.map(fieldsOf) : [];
  const said = parts.filter((part) => part?.type === 'refusal').map((part) => part?.refusal);
  const words = said.filter((each) => typeof each === 'string');
  return words.length === 0 ? null : words.join('');
}

/**
 * Words of OpenAI-shaped servers for a context window that is full: z.ai, and gateways before Anthropic (opencode#18918);
 * Mistral; and the code of OpenAI's own error. At others it is `length`, as the cap is, and cannot be told apart.
 */
export const CONTEXT_STOPS: Readonly<Record<string, 'context_window'>> = {
  model_context_window_exceeded: 'context_window',
  model_length: 'context_window',
  context_length_exceeded: 'context_window',
};

export function lookedUp(table: Readonly<Record<string, Answer['stop']>>, reason: string): Answer['stop'] {
  return Object.hasOwn(table, reason) ? (table[reason] ?? 'unknown') : 'unknown';
}

export function wordOf(value: unknown): string {
  return textOf(value) ?? 'none';
}
