import { isScalar, type Node, Scalar, visit } from 'yaml';
import type { Finding } from '../errors.ts';
import type { Note, SourceText } from './source-text.ts';
import { findingAt } from './source-text.ts';

/** What YAML allows and a spec does without, all of it at once. */
export function refusals(root: Node, source: SourceText): Finding[] {
  const findings: Finding[] = [];
  const refuse = (range: Range | undefined, note: Note) => {
    const [start = 0, end = start + 1] = range ?? [];
    findings.push(findingAt(source, start, end, note));
  };
  visit(root, {
    Pair(_key, pair) {
      const key = pair.key as Scalar;
      if (key.value === '<<') refuse(rangeOf(key), MERGE);
      // The value of `<<: *base` would be reported once more as an alias.
      return key.value === '<<' ? visit.SKIP : undefined;
    },
    Alias(_key, alias) {
      refuse(rangeOf(alias), aliasNote(alias.source));
    },
    Value(_key, node) {
      const [start = 0] = rangeOf(node) ?? [];
      if (node.anchor !== undefined) refuse(before(source, start, `&${node.anchor}`), ANCHOR);
      if (node.tag !== undefined) refuse([start, start + 1, 0], TAG);
      if (isScalar(node)) scalarNotes(node, source, findings);
    },
  });
  return eachLineOnce(findings);
}

/** A bomb has hundreds of aliases; one a line is enough to see it. */
function eachLineOnce(findings: readonly Finding[]): Finding[] {
  const once = new Map<string, Finding>();
  for (const finding of findings) {
    const place = `${finding.code} ${finding.line}`;
    if (!once.has(place)) once.set(place, finding);
  }
  return [...once.values()];
}

export type Range = readonly [start: number, valueEnd: number, nodeEnd: number];

export function rangeOf(node: unknown): Range | undefined {
  return (node as { range?: Range | null } | null)?.range ?? undefined;
}

/** An anchor stands before its node. */
function before(source: SourceText, start: number, text: string): Range {
  const at = source.text.lastIndexOf(text, start);
  return at < 0 ? [start, start + 1, 0] : [at, at + text.length, 0];
}

function scalarNotes(node: Scalar, source: SourceText, findings: Finding[]): void {
  const [start, end, stop] = rangeOf(node) ?? [0, 0, 0];
  if (node.value === null && start === end) findings.push(findingAt(source, start, end, EMPTY));
  if (node.type !== Scalar.PLAIN || typeof node.value !== 'string') return;
  const tail = /^[ \t]+(#[^\s#!].*)/.exec(source.text.slice(end, stop));
  if (tail?.[1] !== undefined) findings.push(findingAt(source, end + 1, end + 1 + tail[1].length, CUT));
}

const MERGE: Note = {
  code: 'merge-key',
  message: '`<<` merges nothing: YAML 1.2 has no merge keys, and the values would be missing.',
  hint: 'Write the fields out; what all jobs share belongs in batchwright.yaml.',
};

const ANCHOR: Note = {
  code: 'anchor',
  message: 'Anchors and aliases are not used in specs: each file says what it means where it means it.',
  hint: 'Write the value out.',
};

const TAG: Note = {
  code: 'tag',
  message: 'YAML tags (`!name`, `!!type`) are not used in specs.',
  hint: 'Remove it; quote the value if it is a text.',
};

const EMPTY: Note = {
  code: 'empty-value',
  message: 'The field has no value.',
  hint: 'Write one, or remove the line; `null` if nothing is meant.',
};

const CUT: Note = {
  level: 'warning',
  code: 'cut-by-comment',
  message: 'The text ends before the `#`, which begins a comment.',
  hint: 'Quote the whole text to keep it, or put a blank after the `#`.',
};

function aliasNote(name: string): Note {
  return { ...ANCHOR, code: 'alias', message: `\`*${name}\` stands for a value elsewhere in the file.` };
}
