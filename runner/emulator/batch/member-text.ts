import type { JsonObject } from '../../ids.ts';

/**
 * The text of a member as it stands in its line, whose digest tells the same request again. Usually the member stands
 * last, and its text runs from behind its name to the line's last brace. An unescaped `"name":` before that can only be
 * the name itself, since everything else in the line is a string.
 */
export function memberText(line: JsonObject, text: string, name: string): string {
  const start = new RegExp(`(?<!\\\\)"${name}"\\s*:`).exec(text);
  if (start === null || Object.keys(line).at(-1) !== name) return JSON.stringify(line[name] ?? {});
  return text.slice(start.index + start[0].length, text.lastIndexOf('}')).trim();
}
