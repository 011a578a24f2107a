import type { At, CompileProgram, Fill } from './prompt-at.ts';
import { NOTHING, onlyParam, refuse } from './prompt-at.ts';
import { notBlock, REFUSED } from './prompt-notes.ts';
import type { Scope } from './prompt-scope.ts';
import { placeIn } from './prompt-scope.ts';
import { entriesOf, isTruthy } from './prompt-values.ts';

type Block = hbs.AST.BlockStatement;

export function compileBlock(block: Block, at: At, compile: CompileProgram): Fill {
  switch (block.path.original) {
    case 'if':
    case 'unless':
      return compileIf(block, at, compile);
    case 'each':
      return compileEach(block, at, compile);
    case 'with':
      return compileWith(block, at, compile);
    default:
      return refuse(at, block.path, notBlock(block));
  }
}

/** A field that is not there counts as "no" here and only here: so a template asks whether a row has it. */
function compileIf(block: Block, at: At, compile: CompileProgram): Fill {
  const wanted = block.path.original === 'if';
  const get = onlyParam(block, at, block.path.original, true);
  const zeroCounts = zeroOption(block, at);
  const yes = compile(block.program, at);
  const no = compile(block.inverse, at);
  if (get === null) return NOTHING;
  return (scope) => (isTruthy(get(scope), zeroCounts) === wanted ? yes(scope) : no(scope));
}

/** `includeZero=true`, the one option that Handlebars' own `if` has. */
function zeroOption(block: Block, at: At): boolean {
  let zeroCounts = false;
  for (const pair of block.hash?.pairs ?? []) {
    const literal = pair.value as hbs.AST.BooleanLiteral;
    if (pair.key === 'includeZero' && literal.type === 'BooleanLiteral') zeroCounts = literal.value;
    else refuse(at, pair, REFUSED.option);
  }
  return zeroCounts;
}

function compileEach(block: Block, at: At, compile: CompileProgram): Fill {
  const get = onlyParam(block, at, 'each');
  const place = placeIn(at.place, { kind: 'each', names: block.program.blockParams ?? [] });
  const body = compile(block.program, { ...at, place });
  const empty = compile(block.inverse, at);
  if (get === null) return NOTHING;
  const written = String((block.params[0] as hbs.AST.PathExpression).original);
  return (scope) => {
    const entries = entriesOf(get(scope), written);
    return entries.length === 0 ? empty(scope) : entries.map(filledBy(body, scope)).join('');
  };
}

function filledBy(body: Fill, parent: Scope) {
  return ([key, context]: [string | number, unknown], index: number, all: readonly unknown[]): string =>
    body({ context, parent, entry: { key, index, first: index === 0, last: index === all.length - 1 } });
}

function compileWith(block: Block, at: At, compile: CompileProgram): Fill {
  const get = onlyParam(block, at, 'with');
  const names = block.program.blockParams ?? [];
  const same = names.length === 0 && isThis(block.params[0]);
  const place = same ? at.place : placeIn(at.place, { kind: 'with', names });
  const body = compile(block.program, { ...at, place });
  const empty = compile(block.inverse, at);
  if (get === null) return NOTHING;
  return (scope) => {
    const context = get(scope);
    if (!isTruthy(context, true)) return empty(scope);
    return body(same ? scope : { context, parent: scope, entry: null });
  };
}

/** `#with this` is the same context again: no step for `../`, and the row stays the row. */
function isThis(param: hbs.AST.Expression | undefined): boolean {
  if (param?.type !== 'PathExpression') return false;
  const { data, depth, parts } = param as hbs.AST.PathExpression;
  return !data && depth === 0 && parts.length === 0;
}
