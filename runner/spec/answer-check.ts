import type { ErrorObject } from 'ajv';
import type { JsonObject } from '../ids.ts';
import { isObject, schemasIn } from './schema-walk.ts';

/** Why an answer breaks its schema. `cause` is the same for the same cause; `detail` may name this answer's own figures. */
export interface AnswerFault {
  readonly cause: string;
  readonly detail: string | null;
}

/** The one fault that says most, in our words. `errors` are Ajv's, not empty. */
export function faultOf(errors: readonly ErrorObject[], names: ReadonlySet<string>): AnswerFault {
  const error = mostTelling(errors);
  const where = placeOf(error.instancePath, names);
  return { cause: `${where} ${causeOf(error)}`, detail: detailOf(error) };
}

/** The names that the schema itself gives to properties; any other name in an answer is the model's. */
export function namesIn(schema: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { schema: each } of schemasIn(schema)) {
    if (isObject(each.properties)) for (const name of Object.keys(each.properties)) names.add(name);
  }
  return names;
}

/**
 * The last error is the outermost. Where that is "none of the alternatives", an error deeper inside the value says
 * which alternative was tried and what was wrong with it.
 */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject {
  const last = errors.at(-1);
  if (last === undefined) throw new RangeError('no errors');
  if (last.keyword !== 'anyOf' && last.keyword !== 'oneOf') return last;
  const deepest = errors.reduce((a, b) => (depthOf(b) > depthOf(a) ? b : a));
  return depthOf(deepest) > depthOf(last) ? deepest : last;
}

function depthOf(error: ErrorObject): number {
  return error.instancePath.split('/').length;
}

/** `/items/3/label` and `/items/7/label` are one place: indexes, and names that no schema gives, become `*`. */
function placeOf(pointer: string, names: ReadonlySet<string>): string {
  if (pointer === '') return 'the answer';
  const steps = pointer.split('/').slice(1);
  const shown = steps.map((step) =>
    names.has(step.replaceAll('~1', '/').replaceAll('~0', '~')) ? step : '*',
  );
  return `\`/${shown.join('/')}\``;
}

function causeOf(error: ErrorObject): string {
  const { keyword, params } = error;
  switch (keyword) {
    case 'type':
      return `is not ${[params.type].flat().map(typeName).join(' or ')}`;
    case 'required':
      return `has no \`${params.missingProperty}\``;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'has a property that the schema does not name';
    case 'enum':
      return `is not one of ${shortList(params.allowedValues)}`;
    case 'const':
      return `is not ${JSON.stringify(params.allowedValue)}`;
    case 'pattern':
      return `does not match ${params.pattern}`;
    case 'format':
      return `is not a valid ${params.format}`;
    case 'anyOf':
      return 'fits none of its alternatives';
    case 'oneOf':
      return params.passingSchemas === null
        ? 'fits none of its alternatives'
        : 'fits two of its alternatives';
    case 'false schema':
      return 'is not allowed';
    default:
      return limitOf(keyword, params) ?? `breaks \`${keyword}\``;
  }
}

function limitOf(keyword: string, params: Readonly<Record<string, unknown>>): string | null {
  const { limit } = params;
  switch (keyword) {
    case 'maxLength':
      return `longer than ${limit} characters`;
    case 'minLength':
      return `shorter than ${limit} characters`;
    case 'maximum':
      return `greater than ${limit}`;
    case 'minimum':
      return `less than ${limit}`;
    case 'exclusiveMaximum':
      return `not less than ${limit}`;
    case 'exclusiveMinimum':
      return `not greater than ${limit}`;
    case 'multipleOf':
      return `no multiple of ${params.multipleOf}`;
    case 'maxItems':
      return `has more than ${limit} items`;
    case 'minItems':
      return `has fewer than ${limit} items`;
    case 'uniqueItems':
      return 'has the same item twice';
    case 'maxProperties':
      return `has more than ${limit} properties`;
    case 'minProperties':
      return `has fewer than ${limit} properties`;
    default:
      return null;
  }
}

function typeName(type: unknown): string {
  switch (type) {
    case 'null':
      return 'null';
    case 'object':
    case 'array':
    case 'integer':
      return `an ${type}`;
    default:
      return `a ${type}`;
  }
}

/** Long lists would make a cause that no table can show. */
function shortList(values: readonly unknown[]): string {
  const list = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ');
  return list.length <= 100 ? list : `its ${values.length} values`;
}

/** This answer's own figures: a length, a count, or the value itself, cut at 120 characters. */
function detailOf(error: ErrorObject): string | null {
  const { data, keyword, params } = error;
  if (keyword === 'additionalProperties') return shown(params.additionalProperty);
  if (keyword === 'unevaluatedProperties') return shown(params.unevaluatedProperty);
  if (keyword.endsWith('Length') && typeof data === 'string') return `${[...data].length} characters`;
  if (keyword.endsWith('Items') && Array.isArray(data)) return `${data.length} items`;
  if (keyword === 'required' || data === undefined) return null;
  return shown(data);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
