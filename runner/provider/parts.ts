import type { ReplyResult } from '../outcome/outcome.ts';
import { type Fields, fieldsOf } from './fields.ts';

/** What one message says. */
export interface Said {
  /** Its parts that are text, which belong together, as one; null where there is none. */
  readonly text: string | null;
  /** Something is there that nobody here understands: where no text stands beside it, the answer may hide in it. */
  readonly isStrange: boolean;
}

export const NOTHING: Said = { text: null, isStrange: false };
export const STRANGE: Said = { text: null, isStrange: true };

/**
 * @param readText gives the text of a part that belongs to the answer, null for a part that is known to be none of it
 * (thinking, a call of a tool), and anything else for one that is not understood
 */
export function readParts(parts: readonly unknown[], readText: (part: Fields) => unknown): Said {
  const texts: string[] = [];
  let isStrange = false;
  for (const part of parts) {
    const fields = fieldsOf(part);
    const text = fields === null ? undefined : readText(fields);
    if (typeof text === 'string') texts.push(text);
    else if (text !== null) isStrange = true;
  }
  return { text: texts.length === 0 ? null : texts.join(''), isStrange };
}

type Answer = Extract<ReplyResult, { kind: 'answer' }>;

/**
 * True for an answer without a word in which something is not understood: it is not empty, it cannot be read. A filter
 * and a call of a tool explain the silence.
 */
export function isUnread({ texts, refusal, stop }: Answer, isStrange: boolean): boolean {
  if (!isStrange || refusal !== null || stop === 'filter' || stop === 'tool') return false;
  return texts.every((text) => text.trim() === '');
}

/**
 * The entries of a list of alternatives that claim to be the first: a request of ours has one. By `index`, since lists
 * come in any order; one without it (protocol buffers leave out a zero) can only be the first. Equal ones count once.
 */
export function firstEntries(list: unknown): readonly Fields[] {
  const entries = Array.isArray(list) ? list.map(fieldsOf) : [];
  const first = entries.filter((entry) => entry !== null && (entry.index ?? 0) === 0) as Fields[];
  return first.length <= 1 ? first : [...new Map(first.map((each) => [JSON.stringify(each), each])).values()];
}
