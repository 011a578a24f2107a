import Handlebars from 'handlebars';
import type { Finding } from '../errors.ts';
import { messageOf } from '../errors.ts';
import type { Template } from './prompt-at.ts';
import type { Note, SourceText } from './source-text.ts';
import { findingAt, findingAtLine } from './source-text.ts';

/**
 * Reads a template with Handlebars' own parser. CRLF counts as LF, so that a checkout on Windows asks the same
 * question. Adds a finding and gives no program where the template cannot be read.
 */
export function parseTemplate(source: SourceText, findings: Finding[]): Template {
  // Handlebars takes a syntax tree in place of text and would run what it says (CVE-2026-106446).
  if (typeof source.text !== 'string') throw new TypeError('a template is a text');
  try {
    return { source, program: Handlebars.parse(source.text.replaceAll('\r\n', '\n')) };
  } catch (error) {
    findings.push(parseFinding(source, messageOf(error), error));
    return { source, program: null };
  }
}

function parseFinding(source: SourceText, message: string, error: unknown): Finding {
  const { lineNumber, column } = error as { lineNumber?: number; column?: number };
  if (lineNumber !== undefined && column !== undefined) {
    const text = message.replace(/ - \d+:\d+$/, '').replace("doesn't match", 'is closed by');
    return findingAtLine(source, lineNumber, column + 1, 1, { code: 'template', message: `${text}.` });
  }
  const line = Number(/on line (\d+)/.exec(message)?.[1] ?? 1);
  const got = /got '(\w+)'/.exec(message)?.[1] ?? '';
  const tag = source.text.lastIndexOf('{{');
  const isOpen = tag >= 0 && !source.text.includes('}}', tag);
  return got === 'EOF' || isOpen ? unclosed(source, isOpen ? tag : null) : unexpected(source, line, got);
}

/** The tag that nothing closes, else the innermost block. */
function unclosed(source: SourceText, tag: number | null): Finding {
  if (tag !== null) return findingAt(source, tag, tag + 2, OPEN_TAG);
  const open: { at: number; name: string }[] = [];
  for (const match of source.text.matchAll(/\{\{~?([#^/])\s*([^\s~}]*)/g)) {
    const [, sign, name = ''] = match;
    if (sign === '/') open.pop();
    else if (name !== '') open.push({ at: match.index, name });
  }
  const { at, name } = open.pop() ?? { at: 0, name: '' };
  const message = `The block \`${name}\` is never closed.`;
  const hint = `Add {{/${name}}} where it ends.`;
  return findingAt(source, at, at + name.length + 3, { code: 'template', message, hint });
}

const OPEN_TAG: Note = {
  code: 'template',
  message: 'This `{{` is never closed.',
  hint: 'Close it with `}}`; to write the braces themselves, write \\{{.',
};

function unexpected(source: SourceText, line: number, got: string): Finding {
  const begin = source.lineStarts[line - 1] ?? 0;
  const end = (source.lineStarts[line] ?? source.text.length + 1) - 1;
  const text = source.text.slice(begin, end);
  const tags = [...text.matchAll(/\{\{.*?\}\}\}?/g)];
  const suspect =
    (got === 'CLOSE_UNESCAPED' ? tags.find(([tag]) => isOverclosed(tag)) : undefined) ?? tags[0];
  const at = begin + (suspect?.index ?? text.indexOf('{{'));
  return findingAt(source, at, at + (suspect?.[0].length ?? text.length), unexpectedNote(got));
}

function isOverclosed(tag: string): boolean {
  return !tag.startsWith('{{{') && tag.endsWith('}}}');
}

/** `{"id": {{id}}}`, a JSON example in a prompt, is the mistake that people make most. */
function unexpectedNote(got: string): Note {
  if (got === 'CLOSE_UNESCAPED') {
    return {
      code: 'template',
      message: '`}}}` closes a tag that was opened with `{{`.',
      hint: 'Where a brace follows the tag, put a blank between: `{{id}} }`.',
    };
  }
  return {
    code: 'template',
    message: `The template cannot be read here: ${TOKENS[got] ?? 'something'} stands where it does not belong.`,
    hint: 'To write `{{` itself, as in a JSON example, write \\{{.',
  };
}

const TOKENS: Readonly<Record<string, string>> = {
  CLOSE: '`}}`',
  OPEN_ENDBLOCK: '`{{/`',
  INVERSE: '`{{else}}`',
  OPEN_INVERSE_CHAIN: '`{{else`',
  EQUALS: '`=`',
  ID: 'a name',
  STRING: 'a text',
  NUMBER: 'a number',
  SEP: 'a separator',
  INVALID: 'a character',
};
