import type { Finding } from '../errors.ts';
import { oneParam, REFUSED } from './prompt-notes.ts';
import { required, resolvePath } from './prompt-path.ts';
import type { PromptPath } from './prompt-row.ts';
import type { Get, Place, Scope } from './prompt-scope.ts';
import type { Note, SourceText } from './source-text.ts';
import { findingAtLine } from './source-text.ts';

/** Fills in one piece of a template. */
export type Fill = (scope: Scope) => string;

/** A template file that was read; `program` is null where it cannot be parsed, which is a finding already. */
export interface Template {
  readonly source: SourceText;
  readonly program: hbs.AST.Program | null;
}

/** What compiling collects beside the functions. */
export interface Collected {
  readonly partialNames: readonly string[];
  /** Parses a partial when it is first used; undefined where there is none of that name. */
  readonly partial: (name: string) => Template | undefined;
  readonly paths: PromptPath[];
  readonly usedPartials: Set<string>;
  readonly findings: Finding[];
  wholeRow: boolean;
}

/** Where compiling is: the file, the place in it, and the partials that led there. */
export interface At {
  readonly source: SourceText;
  readonly place: Place;
  readonly inside: readonly string[];
  readonly collected: Collected;
}

export type CompileProgram = (program: hbs.AST.Program | undefined, at: At) => Fill;

export const NOTHING: Fill = () => '';

/** Notes a finding at a node; what is refused fills in nothing, and the template is not used. */
export function refuse(at: At, node: hbs.AST.Node, note: Note): Fill {
  at.collected.findings.push(findingAtNode(at.source, node, note));
  return NOTHING;
}

/** Handlebars counts lines from 1 and columns from 0. */
export function findingAtNode(source: SourceText, node: hbs.AST.Node, note: Note): Finding {
  const { start, end } = node.loc;
  const length = end.line === start.line ? end.column - start.column : source.text.length;
  return findingAtLine(source, start.line, start.column + 1, length, note);
}

/** The one parameter of a helper; null where there is not exactly one that can be used, which is noted. */
export function onlyParam(
  call: { readonly params: readonly hbs.AST.Expression[]; readonly path: hbs.AST.Expression },
  at: At,
  name: string,
  mayLack = false,
): Get | null {
  const [param] = call.params;
  if (param !== undefined && call.params.length === 1) return expressionOf(param, at, mayLack);
  refuse(at, call.path, oneParam(name));
  return null;
}

/** A path or a literal as a function of the scope; null where it cannot be used, which is noted. */
export function expressionOf(expression: hbs.AST.Expression, at: At, mayLack = false): Get | null {
  switch (expression.type) {
    case 'PathExpression':
      return pathValue(expression as hbs.AST.PathExpression, at, mayLack);
    case 'StringLiteral':
    case 'NumberLiteral':
    case 'BooleanLiteral': {
      const { value } = expression as hbs.AST.StringLiteral;
      return () => value;
    }
    case 'SubExpression':
      refuse(at, expression, REFUSED.nested);
      return null;
    default:
      return () => null;
  }
}

function pathValue(path: hbs.AST.PathExpression, at: At, mayLack: boolean): Get | null {
  const resolution = resolvePath(path, at.place);
  if (resolution.kind === 'note') {
    refuse(at, path, resolution.note);
    return null;
  }
  const { get, column, wholeRow } = resolution.resolved;
  if (column !== null) at.collected.paths.push(usedPath(path, column, at.source));
  if (wholeRow) at.collected.wholeRow = true;
  return mayLack ? get : required(get, path);
}

function usedPath(path: hbs.AST.PathExpression, name: string, source: SourceText): PromptPath {
  const { line = 1, column = 1, length = 1, source: text = '' } = findingAtNode(source, path, NO_NOTE);
  return { name, path: path.original, file: source.file, line, column, length, source: text };
}

const NO_NOTE: Note = { code: '', message: '' };
