import type { Row } from './prompt-row.ts';

/** Where a template stands while it is filled in: a value, and the one around it. The outermost is the row. */
export interface Scope {
  readonly context: unknown;
  readonly parent: Scope | null;
  /** Of the entry that `#each` is at; null elsewhere. */
  readonly entry: Entry | null;
}

export interface Entry {
  readonly key: string | number;
  readonly index: number;
  readonly first: boolean;
  readonly last: boolean;
}

export type Get = (scope: Scope) => unknown;

/**
 * The same while a template is compiled: each place is one `Scope` at run time, so that `../` is a number of
 * steps known beforehand. (Handlebars decides by comparing values, and miscounts where an entry equals its list.)
 */
export interface Place {
  readonly kind: 'row' | 'each' | 'with' | 'partial';
  readonly parent: Place | null;
  /** `as |item key|`: the names of value and key. */
  readonly names: readonly string[];
  /** `{{> part tone="calm"}}`: names that the partial sees beside its context's own fields. */
  readonly given: ReadonlyMap<string, Get>;
  /** True where the context is the row itself. */
  readonly isRow: boolean;
}

export const ROW_PLACE: Place = { kind: 'row', parent: null, names: [], given: new Map(), isRow: true };

/** The place inside a block or a partial. */
export function placeIn(parent: Place, inner: Partial<Place> & Pick<Place, 'kind'>): Place {
  return { parent, names: [], given: new Map(), isRow: false, ...inner };
}

/** The same place as a partial sees it: block parameters end at the file they stand in. */
export function fenced(place: Place): Place {
  return { ...place, names: [], parent: place.parent === null ? null : fenced(place.parent) };
}

export function rowScope(row: Row): Scope {
  return { context: row, parent: null, entry: null };
}

export function scopeAbove(scope: Scope, steps: number): Scope {
  let at = scope;
  for (let step = 0; step < steps && at.parent !== null; step += 1) at = at.parent;
  return at;
}

/** The place `steps` above, or null where that leaves the row. */
export function placeAbove(place: Place, steps: number): Place | null {
  let at: Place | null = place;
  for (let step = 0; step < steps && at !== null; step += 1) at = at.parent;
  return at;
}

/** Steps to the nearest place that fits, counted from 0 for this one; null where there is none. */
export function stepsTo(place: Place, fits: (place: Place) => boolean): number | null {
  let steps = 0;
  for (let at: Place | null = place; at !== null; at = at.parent, steps += 1) {
    if (fits(at)) return steps;
  }
  return null;
}
