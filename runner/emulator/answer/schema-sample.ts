import type { Json, JsonObject } from '../../ids.ts';
import { isArray, isObject } from '../json-value.ts';
import type { Draw } from '../seed.ts';
import { statedIn } from './excerpt.ts';
import { sampleOfString } from './string-sample.ts';

/** A schema may refer to itself; from here on everything optional is left out. */
const DEEPEST = 6;

/**
 * A value that `schema` accepts, made of the words of `text` where that is possible: same schema, text and draw, same
 * value. Knows the keywords of the providers' strict subsets; what it does not know it passes over.
 */
export function sampleOfSchema(schema: JsonObject, text: string, draw: Draw): Json {
  return sample(schema, '', { root: schema, text, draw, depth: 0 });
}

interface Scope {
  readonly root: JsonObject;
  readonly text: string;
  readonly draw: Draw;
  readonly depth: number;
}

function sample(written: Json | undefined, name: string, scope: Scope): Json {
  const schema = resolved(written, scope.root);
  if (schema.const !== undefined) return schema.const;
  const { enum: allowed } = schema;
  if (Array.isArray(allowed)) return choiceOf(allowed, scope);
  switch (typeOf(schema, scope)) {
    case 'object':
      return sampleOfObject(schema, scope);
    case 'array':
      return sampleOfArray(schema, name, scope);
    case 'integer':
      return sampleOfNumber(schema, name, scope, true);
    case 'number':
      return sampleOfNumber(schema, name, scope, false);
    case 'boolean':
      return sampleOfBoolean(name, scope);
    case 'null':
      return null;
    default:
      return sampleOfString(schema, statedString(name, scope), scope.text, scope.draw);
  }
}

/** Follows references, takes the first alternative that is not null, and lays `allOf` together. */
function resolved(written: Json | undefined, root: JsonObject, left = 20): JsonObject {
  const schema = isObject(written) ? written : {};
  if (left === 0) return {};
  if (typeof schema.$ref === 'string') return resolved(pointed(schema.$ref, root), root, left - 1);
  const choices = schema.anyOf ?? schema.oneOf;
  if (isArray(choices)) {
    const first = choices.find((choice) => !isObject(choice) || choice.type !== 'null') ?? choices[0];
    return resolved(first, root, left - 1);
  }
  const parts = schema.allOf;
  if (!isArray(parts)) return schema;
  const { allOf: _, ...own } = schema;
  return parts.map((part) => resolved(part, root, left - 1)).reduce(merged, own);
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...objectOf(one.properties), ...objectOf(other.properties) };
  const required = [...arrayOf(one.required), ...arrayOf(other.required)];
  return { ...one, ...other, properties, required };
}

function pointed(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function typeOf(schema: JsonObject, { draw }: Scope): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (isArray(type)) return typeAmong(type, draw);
  if (schema.properties !== undefined) return 'object';
  return schema.items === undefined ? 'string' : 'array';
}

/** One nullable value in eight is null. */
function typeAmong(types: readonly Json[], draw: Draw): string {
  const real = types.filter((type) => type !== 'null');
  const isNull = real.length === 0 || (real.length < types.length && draw.below(8) === 0);
  return isNull ? 'null' : String(real[0]);
}

/** A value that the text alone names is the likely one; otherwise the first ones come more often than the last. */
function choiceOf(allowed: readonly Json[], { text, draw }: Scope): Json {
  const named = allowed.filter((value) => typeof value === 'string' && value !== '' && text.includes(value));
  if (named.length === 1 && draw.next() < 0.8) return named[0] ?? null;
  const weights = allowed.map((_, at) => 1 / (at + 1.5));
  let left = draw.next() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return allowed.at(at) ?? null;
}

function sampleOfObject(schema: JsonObject, scope: Scope): JsonObject {
  const required = new Set(arrayOf(schema.required));
  const inner = { ...scope, depth: scope.depth + 1 };
  const members = Object.entries(objectOf(schema.properties))
    .filter(([name]) => required.has(name) || (inner.depth < DEEPEST && scope.draw.below(4) > 0))
    .map(([name, property]) => [name, sample(property, name, inner)] as const);
  // As entries and not by assignment: `__proto__` must stay a plain name.
  return Object.fromEntries(members);
}

function sampleOfArray(schema: JsonObject, name: string, scope: Scope): Json[] {
  const fixed = arrayOf(schema.prefixItems);
  const inner = { ...scope, depth: scope.depth + 1 };
  const head = fixed.map((item) => sample(item, name, inner));
  const least = numberOf(schema.minItems, 0);
  const most = Math.min(numberOf(schema.maxItems, Math.max(3, least)), Math.max(3, least));
  const wanted = inner.depth < DEEPEST ? Math.max(least, 1 + scope.draw.below(Math.max(1, most))) : least;
  const rest = schema.items;
  const length = rest === false ? 0 : Math.max(0, Math.min(wanted, most) - head.length);
  const make = () => sample(rest, name, inner);
  if (schema.uniqueItems !== true) return [...head, ...Array.from({ length }, make)];
  return different(head, head.length + length, make);
}

/** Gives up after some tries: five different values of an enum of three do not exist. */
function different(head: readonly Json[], length: number, make: () => Json): Json[] {
  const items = new Map(head.map((item) => [JSON.stringify(item), item]));
  for (let tries = 0; items.size < length && tries < length * 20; tries += 1) {
    const item = make();
    items.set(JSON.stringify(item), item);
  }
  return [...items.values()];
}

function sampleOfNumber(schema: JsonObject, name: string, scope: Scope, whole: boolean): number {
  const step = numberOf(schema.multipleOf, whole ? 1 : 0.01);
  const least = Math.max(
    numberOf(schema.minimum, -Infinity),
    numberOf(schema.exclusiveMinimum, -Infinity) + step,
  );
  const most = Math.min(
    numberOf(schema.maximum, Infinity),
    numberOf(schema.exclusiveMaximum, Infinity) - step,
  );
  const stated = name === '' ? undefined : statedIn(scope.text, name);
  if (typeof stated === 'number' && stated >= least && stated <= most && isMultiple(stated, schema, whole)) {
    return stated;
  }
  const [low, high] = range(least, most, !whole && SHARE_NAME.test(name));
  const steps = Math.floor((high - low) / step + 1e-9);
  const value = Math.ceil(low / step - 1e-9) * step + scope.draw.below(steps + 1) * step;
  // 0.1 + 0.2 is not what a model would write.
  return Number(Math.min(value, most).toPrecision(12));
}

/** Numbers of these names run from 0 to 1 wherever a schema does not say. */
const SHARE_NAME = /confidence|score|probability|likelihood/i;

function isMultiple(value: number, schema: JsonObject, whole: boolean): boolean {
  return schema.multipleOf === undefined && (!whole || Number.isInteger(value));
}

function range(least: number, most: number, isShare: boolean): readonly [number, number] {
  if (least > -Infinity && most < Infinity) return [least, most];
  if (isShare && least <= 0 && most >= 1) return [0, 1];
  if (least > -Infinity) return [least, least + 100];
  return most < Infinity ? [most - 100, most] : [0, 100];
}

function sampleOfBoolean(name: string, { text, draw }: Scope): boolean {
  const stated = name === '' ? undefined : statedIn(text, name);
  return typeof stated === 'boolean' ? stated : draw.below(3) === 0;
}

function statedString(name: string, { text }: Scope): string | undefined {
  const stated = name === '' ? undefined : statedIn(text, name);
  return typeof stated === 'string' && stated !== '' ? stated : undefined;
}

function numberOf(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function arrayOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}
