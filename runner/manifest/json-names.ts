/**
 * The first name that stands twice in one object of a JSON text, or null. `distinct` is how many names the parsed
 * value has, all objects together.
 *
 * Cheap for the usual row: every name is followed by `":`, and inside strings a quote is escaped, so `":` occurs at
 * least once a name. If it occurs exactly `distinct` times, no name was lost in parsing. Only where the counts
 * differ (a doubled name, or a string with `\":` in it), or blanks stand before a colon, the text is scanned.
 * DuckDB's `json_keys` costs 2.6 us a row; counting costs 0.2.
 */
export function duplicateName(text: string, distinct: number): string | null {
  if (countOf(text, '":') === distinct && !mayHaveBlankBeforeColon(text)) return null;
  return scanForDuplicate(text);
}

/**
 * The same where the parsed value was written again, as `canonical`: that has each name once. Where both have `":` equally
 * often, so have the names. Blanks before a colon, and a quote or a colon written as an escape, would upset the counts.
 */
export function duplicateNameBeside(text: string, canonical: string): string | null {
  if (text === canonical) return null;
  const isPlain = !text.includes('\\u00') && quotedColons(text) === quotedColons(canonical);
  return isPlain ? null : scanForDuplicate(text);
}

/** How often `":` stands in a JSON text; NaN where a blank stands before any colon. By the colons, which are few. */
function quotedColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === QUOTE) count += 1;
    else if (before <= BLANK) return Number.NaN;
  }
  return count;
}

const QUOTE = 0x22;
/** JSON's blanks are this and three below it. */
const BLANK = 0x20;

/** Deeper values are no data that anyone wrote, and recursion has to end somewhere before the stack does. */
export const MAX_DEPTH = 200;

/** True where a JSON text nests deeper than that. The same for the same text, wherever the stack would end. */
export function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_DEPTH || countOf(text, '[') + countOf(text, '{') <= MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Searches for fixed strings first: they go through a row of 800 characters in 0.2 us, the pattern in 0.5. */
function mayHaveBlankBeforeColon(text: string): boolean {
  const hasBlank = text.includes('" ') || text.includes('\t') || text.includes('\r') || text.includes('\n');
  return hasBlank && BLANK_BEFORE_COLON.test(text);
}

const BLANK_BEFORE_COLON = /"[ \t\r\n]+:/;

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** `text` is valid JSON: only strings, braces and colons matter. */
function scanForDuplicate(text: string): string | null {
  const open: Set<string>[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    if (character === '}') open.pop();
    if (character !== '"') {
      at += 1;
      continue;
    }
    const end = stringEnd(text, at);
    if (isColonNext(text, end)) {
      const name = JSON.parse(text.slice(at, end)) as string;
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
    at = end;
  }
  return null;
}

/** The place after the closing quote of the string that opens at `from`. */
export function stringEnd(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function isColonNext(text: string, from: number): boolean {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return text[at] === ':';
}
