import type { Row } from './prompt-row.ts';
import type { Entry, Get, Place, Scope } from './prompt-scope.ts';
import { placeAbove, scopeAbove, stepsTo } from './prompt-scope.ts';
import { columnOf, fieldOf, MISSING, PromptError, shown } from './prompt-values.ts';
import type { Note } from './source-text.ts';
import { nearest } from './suggest.ts';

/** A path of a template, resolved against the place where it stands. */
export interface Resolved {
  /** Gives `MISSING` where a field is not there. */
  readonly get: Get;
  /** The column of the row that it begins with; null where it begins elsewhere. */
  readonly column: string | null;
  /** True where it is the row as a whole: every column reaches the prompt. */
  readonly wholeRow: boolean;
}

export type Resolution =
  | { readonly kind: 'resolved'; readonly resolved: Resolved }
  | { readonly kind: 'note'; readonly note: Note };

export function resolvePath(path: hbs.AST.PathExpression, place: Place): Resolution {
  if (path.data) return resolveData(path, place);
  return isBare(path) ? resolveBare(path, place) : resolveField(path.parts, path.depth, path.original, place);
}

/** The same value, but a field that is not there ends the row: what was sent would silently lack it. */
export function required(get: Get, path: hbs.AST.PathExpression): Get {
  const written = path.original;
  const around = path.parts.length > 1 ? path.parts[0] : null;
  return (scope) => {
    const value = get(scope);
    if (value !== MISSING) return value;
    throw new PromptError(written, missingMessage(written, around ?? null, scope));
  };
}

function missingMessage(written: string, around: string | null, scope: Scope): string {
  const context = scope.context;
  const outer =
    around === null || context === null || typeof context !== 'object' ? MISSING : fieldOf(context, around);
  const value =
    outer === MISSING ? `the value around it is ${shown(context)}` : `\`${around}\` is ${shown(outer)}`;
  return `\`${written}\` is not in this row: ${value}. Put {{#if ${written}}} around it if rows may lack it.`;
}

/** `name` and not `./name`, `this.name`, `../name`: a bare first name may be a block parameter or a partial's own. */
function isBare(path: hbs.AST.PathExpression): boolean {
  return path.depth === 0 && path.parts.length > 0 && !/^(\.\/|this[./])/.test(path.original);
}

function resolveBare(path: hbs.AST.PathExpression, place: Place): Resolution {
  const [first = '', ...fields] = path.parts;
  const steps = stepsTo(place, (at) => at.names.includes(first));
  const named = steps === null ? null : placeAbove(place, steps);
  if (steps !== null && named !== null) {
    const isKey = named.names.indexOf(first) > 0;
    const base: Get = isKey
      ? (scope) => scopeAbove(scope, steps).entry?.key ?? null
      : (scope) => scopeAbove(scope, steps).context;
    return plain(walked(base, fields));
  }
  const given = place.given.get(first);
  if (given !== undefined) return plain(walked((scope) => given(scope.parent ?? scope), fields));
  return resolveField(path.parts, 0, path.original, place);
}

function resolveField(parts: readonly string[], depth: number, written: string, place: Place): Resolution {
  const target = placeAbove(place, depth);
  if (target === null) return { kind: 'note', note: leavesRow(written) };
  const base: Get = depth === 0 ? (scope) => scope.context : (scope) => scopeAbove(scope, depth).context;
  if (!target.isRow) return plain(walked(base, parts));
  const [column, ...fields] = parts;
  if (column === undefined)
    return { kind: 'resolved', resolved: { get: base, column: null, wholeRow: true } };
  const get = walked((scope) => columnOf(base(scope) as Row, column), fields);
  return { kind: 'resolved', resolved: { get, column, wholeRow: false } };
}

const DATA: Readonly<Record<string, (entry: Entry) => unknown>> = {
  index: (entry) => entry.index,
  key: (entry) => entry.key,
  first: (entry) => entry.first,
  last: (entry) => entry.last,
};

/** `@root.column`, and what `#each` tells of its entry: `@index`, `@key`, `@first`, `@last`, `@../index`. */
function resolveData(path: hbs.AST.PathExpression, place: Place): Resolution {
  const [name = '', ...fields] = path.parts;
  if (name === 'root') {
    return resolveField(fields, stepsTo(place, (at) => at.kind === 'row') ?? 0, path.original, place);
  }
  const read = Object.hasOwn(DATA, name) ? DATA[name] : undefined;
  if (read === undefined) return { kind: 'note', note: unknownData(path.original, name) };
  const steps = stepsToEach(place, path.depth);
  if (steps === null) return { kind: 'note', note: outsideEach(path.original) };
  return plain(walked((scope) => entryValue(scopeAbove(scope, steps).entry, read), fields));
}

function entryValue(entry: Entry | null, read: (entry: Entry) => unknown): unknown {
  return entry === null ? MISSING : read(entry);
}

/** Steps to the `#each` that is `outer` further out than the nearest; null where there is none. */
function stepsToEach(place: Place, outer: number): number | null {
  let left = outer;
  return stepsTo(place, (at) => {
    if (at.kind !== 'each') return false;
    left -= 1;
    return left < 0;
  });
}

function plain(get: Get): Resolution {
  return { kind: 'resolved', resolved: { get, column: null, wholeRow: false } };
}

function walked(base: Get, fields: readonly string[]): Get {
  if (fields.length === 0) return base;
  return (scope) => {
    let value = base(scope);
    for (const field of fields) value = fieldOf(value, field);
    return value;
  };
}

function leavesRow(written: string): Note {
  return {
    code: 'path-leaves-row',
    message: `\`${written}\` goes further out than the row.`,
    hint: 'Each `../` leaves one #each or #with; #if and #unless do not count.',
  };
}

function unknownData(written: string, name: string): Note {
  const near = nearest(name, [...Object.keys(DATA), 'root']);
  return {
    code: 'unknown-data',
    message: `\`${written}\` is not known; there are @index, @key, @first, @last and @root.`,
    hint: near === null ? undefined : `Did you mean \`@${near}\`?`,
  };
}

function outsideEach(written: string): Note {
  return { code: 'unknown-data', message: `\`${written}\` has a value only inside {{#each}}.` };
}
