import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type Scalar } from 'yaml';
import type { Finding } from '../errors.ts';
import type { Json } from '../ids.ts';
import type { Note, SourceText } from './source-text.ts';
import { findingAt, findingInFile } from './source-text.ts';
import { rangeOf, refusals } from './yaml-refusals.ts';
import { syntaxFindings } from './yaml-syntax.ts';

/** The place of a value in a document: names of fields, indexes of lists. */
export type Path = readonly (string | number)[];

/** A YAML file that is one plain mapping, and where each of its values stands. */
export interface YamlFile {
  readonly source: SourceText;
  readonly value: Readonly<Record<string, Json>>;
  /** A finding at a value, or at its key; at the nearest enclosing value where the path ends early. */
  readonly at: (path: Path, what: 'key' | 'value', note: Note) => Finding;
  /** A scalar as the file writes it; null where there is no scalar. */
  readonly written: (path: Path) => string | null;
}

export type Parsed =
  /** `findings`: what does not keep the values from being read. */
  | { readonly kind: 'yaml'; readonly yaml: YamlFile; readonly findings: readonly Finding[] }
  | { readonly kind: 'broken'; readonly findings: readonly Finding[] };

/**
 * Reads one YAML 1.2 document with string keys and without aliases, anchors, tags and merge keys: what stands in
 * the file is what is meant, and a bomb cannot be written.
 */
export function parseYaml(source: SourceText): Parsed {
  const doc = parseDocument(source.text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    stringKeys: true,
    resolveKnownTags: false,
    prettyErrors: false,
    lineCounter: new LineCounter(),
    // Not `silent`: that would also keep a second document to itself.
    logLevel: 'error',
  });
  const findings = [...syntaxFindings(doc, source), ...directiveFindings(doc.directives?.yaml, source)];
  const root = doc.contents;
  if (findings.length > 0) return { kind: 'broken', findings };
  const refused = root === null ? [] : refusals(root, source);
  if (refused.some(({ code }) => !READABLE.has(code))) return { kind: 'broken', findings: refused };
  if (!isMap(root)) return { kind: 'broken', findings: [notMapping(root, source)] };
  return { kind: 'yaml', yaml: yamlFile(root, doc.toJS({ maxAliasCount: 0 }), source), findings: refused };
}

/** Codes of findings that leave every value as it was meant. */
const READABLE: ReadonlySet<string> = new Set(['empty-value', 'cut-by-comment']);

function directiveFindings(
  directive: { readonly explicit?: boolean; readonly version?: string } | undefined,
  source: SourceText,
): Finding[] {
  if (directive?.explicit !== true || directive.version === '1.2') return [];
  const at = source.text.indexOf('%YAML');
  const note = {
    code: 'yaml-version',
    message: `The file asks for YAML ${directive.version}, where \`no\` and \`on\` are not texts; 1.2 is read here.`,
    hint: 'Remove the %YAML line.',
  };
  return [findingAt(source, at, at + `%YAML ${directive.version}`.length, note)];
}

function notMapping(root: Node | null, source: SourceText): Finding {
  if (root === null) {
    const message = source.text.trim() === '' ? 'The file is empty.' : 'The file has comments only.';
    return findingInFile(source.file, { code: 'empty-file', message, hint: NINE_LINES });
  }
  const [start = 0, end = start + 1] = rangeOf(root) ?? [];
  const kind = isSeq(root) ? 'a list' : 'a single value';
  const message = `The file is ${kind}; a mapping (\`name: value\`, line by line) was expected.`;
  return findingAt(source, start, end, { code: 'not-a-mapping', message, hint: NINE_LINES });
}

const NINE_LINES = '`batchwright new NAME --from FILE --key COLUMN` writes a job to begin with.';

function yamlFile(root: Node, value: YamlFile['value'], source: SourceText): YamlFile {
  return {
    source,
    value,
    at(path, what, note) {
      const { node, key } = nodeAt(root, path);
      const [start = 0, end = start + 1] = rangeOf(what === 'key' && key !== null ? key : node) ?? [];
      return findingAt(source, start, end, note);
    },
    written(path) {
      const { node, found } = nodeAt(root, path);
      if (!found || !isScalar(node)) return null;
      const [start, end] = rangeOf(node) ?? [0, 0];
      return source.text.slice(start, end);
    },
  };
}

interface Found {
  readonly node: unknown;
  readonly key: Node | null;
  /** False where the path ends early: then `node` is the last one that is there. */
  readonly found: boolean;
}

function nodeAt(root: Node, path: Path): Found {
  let at: Found = { node: root, key: null, found: true };
  for (const step of path) {
    const next = childOf(at.node, step);
    if (next === null) return { ...at, found: false };
    at = next;
  }
  return at;
}

function childOf(node: unknown, step: string | number): Found | null {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? null : { node: item, key: null, found: true };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find((item) => (item.key as Scalar).value === step) as Pair | undefined;
  return pair === undefined ? null : { node: pair.value, key: pair.key as Node, found: true };
}
