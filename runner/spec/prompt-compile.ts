import type { At, Collected, Fill, Template } from './prompt-at.ts';
import { expressionOf, NOTHING, onlyParam, refuse } from './prompt-at.ts';
import { compileBlock } from './prompt-block.ts';
import { HELPERS, notHelper, onlyAsBlock, REFUSED } from './prompt-notes.ts';
import { compilePartial } from './prompt-partial.ts';
import { ROW_PLACE } from './prompt-scope.ts';
import { jsonOf, textOf } from './prompt-values.ts';

/**
 * Turns a parsed template into a function of the row. No text becomes code, so that a row never can; findings
 * and the paths in use are added to `collected`.
 */
export function compileTemplate(template: Template, collected: Collected): Fill {
  const at: At = { source: template.source, place: ROW_PLACE, inside: [], collected };
  return compileProgram(template.program ?? undefined, at);
}

function compileProgram(program: hbs.AST.Program | undefined, at: At): Fill {
  const fills = (program?.body ?? []).map((statement) => compileStatement(statement, at));
  const pieces = fills.filter((fill) => fill !== NOTHING);
  const [only = NOTHING] = pieces;
  return pieces.length <= 1 ? only : joined(pieces);
}

function joined(pieces: readonly Fill[]): Fill {
  return (scope) => {
    let text = '';
    for (const piece of pieces) text += piece(scope);
    return text;
  };
}

function compileStatement(statement: hbs.AST.Statement, at: At): Fill {
  switch (statement.type) {
    case 'ContentStatement':
      return constant((statement as hbs.AST.ContentStatement).value);
    case 'CommentStatement':
      return NOTHING;
    case 'MustacheStatement':
      return compileMustache(statement as hbs.AST.MustacheStatement, at);
    case 'BlockStatement':
      return compileBlock(statement as hbs.AST.BlockStatement, at, compileProgram);
    case 'PartialStatement':
      return compilePartial(statement as hbs.AST.PartialStatement, at, compileProgram);
    case 'PartialBlockStatement':
      return refuse(at, statement, REFUSED.partialBlock);
    default:
      return refuse(at, statement, REFUSED.decorator);
  }
}

function constant(text: string): Fill {
  return text === '' ? NOTHING : () => text;
}

function compileMustache(statement: hbs.AST.MustacheStatement, at: At): Fill {
  if (statement.path.type !== 'PathExpression') return refuse(at, statement.path, REFUSED.literal);
  const path = statement.path as hbs.AST.PathExpression;
  if (isHelper(path)) return compileHelper(statement, path, at);
  if (statement.params.length > 0 || statement.hash !== undefined) {
    return refuse(at, path, notHelper(path.original));
  }
  const get = expressionOf(path, at);
  return get === null ? NOTHING : (scope) => textOf(get(scope), path.original);
}

function compileHelper(statement: hbs.AST.MustacheStatement, path: hbs.AST.PathExpression, at: At): Fill {
  if (path.original !== 'json') return refuse(at, path, onlyAsBlock(path.original));
  const get = onlyParam({ params: statement.params, path }, at, 'json');
  return get === null ? NOTHING : (scope) => jsonOf(get(scope));
}

/** `./json` and `this.json` are columns: only the bare name calls the helper. */
function isHelper(path: hbs.AST.PathExpression): boolean {
  return !path.data && HELPERS.some((name) => name === path.original);
}
