import { type Document, type ErrorCode, isScalar, visit, type YAMLError } from 'yaml';
import type { Finding } from '../errors.ts';
import type { Note, SourceText } from './source-text.ts';
import { findingAt } from './source-text.ts';

/** What the parser found wrong, in our words; one finding for each place. */
export function syntaxFindings(doc: Document.Parsed, source: SourceText): Finding[] {
  const byStart = new Map<number, YAMLError>();
  for (const error of doc.errors) {
    // The parser says twice that an indented line is not a key; the second says which line.
    const first = byStart.get(error.pos[0]);
    if (first === undefined || error.code === 'MULTILINE_IMPLICIT_KEY') byStart.set(error.pos[0], error);
  }
  return [...byStart.values()].map((error) => syntaxFinding(error, doc, source));
}

function syntaxFinding(error: YAMLError, doc: Document.Parsed, source: SourceText): Finding {
  const [start, end] = error.pos;
  const rest = restOfLine(source, start);
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return duplicateKey(start, source);
    case 'MISSING_CHAR':
      return missingChar(error, doc, source);
    case 'NON_STRING_KEY':
      return findingAt(source, start, start + rest.length, braces(source.text, start));
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return findingAt(source, start, start + rest.length, note(error.code, error.message));
    default:
      return findingAt(source, start, end, note(error.code, error.message));
  }
}

function restOfLine(source: SourceText, start: number): string {
  return /^[^\r\n]*/.exec(source.text.slice(start))?.[0].trimEnd() ?? '';
}

function duplicateKey(start: number, source: SourceText): Finding {
  const key = /^[^\s:]*/.exec(source.text.slice(start))?.[0] ?? '';
  return findingAt(source, start, start + key.length, {
    code: 'duplicate-key',
    message: `\`${key}\` is written twice in one mapping.`,
    hint: 'Keep one of the two; neither wins by itself.',
  });
}

/** An unclosed quote is reported where the file ends; it is the opening one that a person has to see. */
function missingChar(error: YAMLError, doc: Document.Parsed, source: SourceText): Finding {
  let opening: number | null = null;
  visit(doc, {
    Scalar(_key, node) {
      const [start = 0, end = 0] = node.range ?? [];
      if (isScalar(node) && node.type?.startsWith('QUOTE') && end >= error.pos[0]) opening = start;
    },
  });
  if (opening === null) return findingAt(source, ...error.pos, note(error.code, error.message));
  return findingAt(source, opening, opening + 1, {
    code: 'yaml-syntax',
    message: 'This quote is never closed.',
    hint: 'Close it at the end of the text.',
  });
}

function braces(text: string, start: number): Note {
  const outer = text[start - 1] === '{' || text.startsWith('{{', start);
  return {
    code: 'yaml-syntax',
    message: outer
      ? '`{{` is read as a mapping inside a mapping, since YAML takes `{` for one.'
      : 'A key has to be a text.',
    hint: outer
      ? 'Templates stand in files: write `prompt: <folder under prompts/>`.'
      : 'Write `name: value` with a plain name.',
  };
}

/** Our words for the mistakes that people make; the parser's own for the rest. */
const WORDS: Readonly<Partial<Record<ErrorCode, Omit<Note, 'code'> & { readonly code?: string }>>> = {
  TAB_AS_INDENT: {
    code: 'tab',
    message: 'A tab stands where blanks were expected.',
    hint: 'Indent with two blanks.',
  },
  MULTIPLE_DOCS: {
    code: 'several-documents',
    message: 'A second document begins here.',
    hint: 'One job a file: move what follows `---` into a file of its own.',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'This text has a `: ` of its own, which YAML takes for another field.',
    hint: 'Quote the text.',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'This line and the next are read as one name.',
    hint: 'Write `name: value`, and indent the next line like the fields it belongs to.',
  },
  BAD_INDENT: {
    message:
      'This line is not where it belongs: a `[` or `{` above is still open, or the indentation is off.',
    hint: 'Close the bracket, or indent the line like its neighbours.',
  },
  BAD_SCALAR_START: { message: 'A text cannot begin with this character.', hint: 'Quote the text.' },
  BAD_DQ_ESCAPE: {
    message: 'A backslash in double quotes begins an escape, and this is none.',
    hint: 'Use single quotes, or forward slashes in a path.',
  },
};

function note(code: ErrorCode, message: string): Note {
  return { code: 'yaml-syntax', message: `${message}.`, ...WORDS[code] };
}
