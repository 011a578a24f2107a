import type { Json } from '../../ids.ts';
import type { Draw } from '../seed.ts';

/** Where a value is usually found when a form asks for it by another name than the record has. */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  licence: ['license'],
  license: ['licence'],
  purpose: ['description', 'summary'],
  summary: ['description', 'subject', 'title'],
  title: ['subject', 'name'],
};

/** What the text itself says under this name, as `"name": value` or as a line `name: value`; undefined if nothing. */
export function statedIn(text: string, name: string): Json | undefined {
  for (const alias of [name, ...(Object.hasOwn(ALSO_CALLED, name) ? (ALSO_CALLED[name] ?? []) : [])]) {
    const value = jsonMember(text, alias) ?? lineValue(text, alias);
    if (value !== undefined) return value;
  }
  return undefined;
}

const MEMBER_VALUE = /\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false)/y;

function jsonMember(text: string, name: string): Json | undefined {
  const quoted = JSON.stringify(name);
  const at = text.indexOf(quoted);
  if (at < 0) return undefined;
  MEMBER_VALUE.lastIndex = at + quoted.length;
  const literal = MEMBER_VALUE.exec(text)?.[1];
  return literal === undefined ? undefined : parsed(literal);
}

function parsed(literal: string): Json | undefined {
  try {
    return JSON.parse(literal) as Json;
  } catch {
    return undefined;
  }
}

function lineValue(text: string, name: string): string | undefined {
  const label = `${name}: `;
  const at = text.startsWith(label) ? 0 : text.indexOf(`\n${label}`) + 1;
  if (at === 0 && !text.startsWith(label)) return undefined;
  const end = text.indexOf('\n', at);
  const value = text.slice(at + label.length, end < 0 ? undefined : end).trim();
  return value === '' ? undefined : value;
}

/** Three words or more with nothing but blanks between them: a piece of a sentence, not of a record's markup. */
const PROSE = /(?<![\p{L}\p{N}])\p{L}[\p{L}\p{M}\p{N}'’-]*(?: \p{L}[\p{L}\p{M}\p{N}'’-]*){2,}/gu;
const WORD = /\p{L}[\p{L}\p{M}\p{N}'’]*/gu;
/** Scripts without spaces give very long runs; an excerpt takes a piece. */
const LONGEST_WORD = 12;

/** Up to `count` neighbouring words of the text, prose where there is some; '' where it has no words. */
export function excerptOf(text: string, count: number, draw: Draw): string {
  // Prompts usually begin with the task and end with the record: the record makes the better excerpt.
  const first = Math.floor(text.length * 0.35);
  const start = first + draw.below(Math.max(1, text.length - first - count * 10));
  PROSE.lastIndex = start;
  const prose = PROSE.exec(text)?.[0];
  if (prose !== undefined) return prose.split(' ').slice(0, count).join(' ');
  const near = wordsIn(text.slice(start, start + count * 14));
  const words = near.length > 2 ? near.slice(1) : wordsIn(text.slice(0, 400));
  return words.slice(0, count).join(' ');
}

function wordsIn(text: string): string[] {
  const found = text.match(WORD) ?? [];
  return found
    .map((word) => (word.length > LONGEST_WORD ? [...word].slice(0, LONGEST_WORD).join('') : word))
    .filter((word, at) => word !== found[at - 1]);
}

/** A sentence made of an excerpt. */
export function sentenceOf(text: string, count: number, draw: Draw): string {
  const words = excerptOf(text, count, draw);
  return words === '' ? 'Nothing to say.' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
