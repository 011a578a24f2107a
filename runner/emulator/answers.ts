import type { Json, JsonObject } from '../ids.ts';
import { sentenceOf } from './answer/excerpt.ts';
import { sampleOfSchema } from './answer/schema-sample.ts';
import type { AnswerFault } from './scenario.ts';
import { type Draw, drawFrom, startOf } from './seed.ts';

/** What a request asks, whatever provider's words it came in. */
export interface Question {
  readonly model: string;
  /** The user's own text; answers are made of its words. */
  readonly text: string;
  /** Null: free text is wanted. */
  readonly schema: JsonObject | null;
  readonly maxTokens: number | null;
}

/** What the model said, before it is put into a provider's words. */
export interface Answer {
  readonly kind: 'text' | 'refusal';
  readonly text: string;
  readonly stop: 'complete' | 'token_cap' | 'filter';
  readonly outputTokens: number;
}

/** Close enough for every model, and the same without a tokenizer. */
const BYTES_PER_TOKEN = 4;
const REFUSAL = "I'm sorry, but I can't help with that.";

export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The answer to a question: the same for the same body and fault. `bodyHash` is hex, 8 characters or more. */
export function answerTo(question: Question, bodyHash: string, fault?: AnswerFault): Answer {
  if (fault === 'refusal') return whole('refusal', REFUSAL);
  const draw = drawFrom(startOf(bodyHash));
  const text = spoiled(contentOf(question, draw, fault), fault);
  if (fault === 'truncated') return cutAt(text, halfOf(text), 'token_cap');
  if (fault === 'content_filter') return cutAt(text, halfOf(text), 'filter');
  return capped(text, question.maxTokens);
}

function contentOf({ schema, text }: Question, draw: Draw, fault: AnswerFault | undefined): string {
  if (schema === null) return freeText(text, draw);
  const value = sampleOfSchema(schema, text, draw);
  return JSON.stringify(fault === 'breaks_schema' ? misspelled(value) : value);
}

function freeText(text: string, draw: Draw): string {
  const sentences = 1 + draw.below(3);
  return Array.from({ length: sentences }, () => sentenceOf(text, 5 + draw.below(6), draw)).join(' ');
}

/** `label` becomes `lable`: valid JSON that a validator refuses, as models without strict mode write it. */
function misspelled(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { value };
  const [first, ...rest] = Object.entries(value);
  if (first === undefined) return { value: null };
  const [name, inner] = first;
  const other = `${name.slice(0, -2)}${name.at(-1)}${name.at(-2) ?? ''}`;
  return Object.fromEntries([[other === name ? `${name}_` : other, inner], ...rest]);
}

function spoiled(text: string, fault: AnswerFault | undefined): string {
  if (fault === 'empty') return '';
  return fault === 'invalid_json' ? `${text.slice(0, -1)},` : text;
}

function capped(text: string, maxTokens: number | null): Answer {
  const answer = whole('text', text);
  if (maxTokens === null || answer.outputTokens <= maxTokens) return answer;
  return { ...cutAt(text, maxTokens * BYTES_PER_TOKEN, 'token_cap'), outputTokens: maxTokens };
}

function whole(kind: Answer['kind'], text: string): Answer {
  return { kind, text, stop: 'complete', outputTokens: tokensOf(Buffer.byteLength(text)) };
}

function cutAt(text: string, bytes: number, stop: Answer['stop']): Answer {
  const head = Buffer.from(text).subarray(0, bytes).toString('utf8');
  // A character that was cut in the middle reads as U+FFFD.
  const clean = head.endsWith('\uFFFD') ? head.slice(0, -1) : head;
  return { ...whole('text', clean), stop };
}

function halfOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 2);
}
