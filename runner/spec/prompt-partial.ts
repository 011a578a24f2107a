import type { At, CompileProgram, Fill, Template } from './prompt-at.ts';
import { expressionOf, NOTHING, refuse } from './prompt-at.ts';
import { REFUSED, recursion, unknownPartial } from './prompt-notes.ts';
import type { Get, Place, Scope } from './prompt-scope.ts';
import { fenced, placeIn } from './prompt-scope.ts';

type Partial = hbs.AST.PartialStatement;

/**
 * A partial is filled in where it stands. Only its first line is indented to the place of the call (Handlebars'
 * `preventIndent`): indenting the rest would change the bytes of row texts with line breaks.
 */
export function compilePartial(statement: Partial, at: At, compile: CompileProgram): Fill {
  const template = partialOf(statement, at);
  if (template === null) return NOTHING;
  const { place, enter } = placeOf(statement, at);
  const inside = [...at.inside, nameOf(statement)];
  const fill = compile(template.program ?? undefined, { ...at, source: template.source, place, inside });
  const { indent } = statement;
  return (scope) => indent + fill(enter(scope));
}

function partialOf(statement: Partial, at: At): Template | null {
  const name = nameOf(statement);
  const template = at.collected.partial(name);
  if (statement.name.type === 'SubExpression') {
    refuse(at, statement.name, REFUSED.nested);
  } else if (at.inside.includes(name)) {
    refuse(at, statement.name, recursion([...at.inside, name]));
  } else if (template === undefined) {
    refuse(at, statement.name, unknownPartial(name, at.collected.partialNames));
  } else {
    at.collected.usedPartials.add(name);
    return template;
  }
  return null;
}

function nameOf(statement: Partial): string {
  return String((statement.name as hbs.AST.PathExpression).original);
}

/** At the caller's place, or at one of its own where the call gives a context or names. */
function placeOf(
  statement: Partial,
  at: At,
): { readonly place: Place; readonly enter: (scope: Scope) => Scope } {
  const [param] = statement.params;
  const pairs = statement.hash?.pairs ?? [];
  const caller = fenced(at.place);
  if (param === undefined && pairs.length === 0) return { place: caller, enter: (scope) => scope };
  const given = new Map(pairs.map(({ key, value }) => [key, expressionOf(value, at) ?? (() => null)]));
  const contextOf: Get = (param && expressionOf(param, at)) ?? ((scope) => scope.context);
  const place = placeIn(caller, { kind: 'partial', given, isRow: param === undefined && at.place.isRow });
  return { place, enter: (scope) => ({ context: contextOf(scope), parent: scope, entry: null }) };
}
