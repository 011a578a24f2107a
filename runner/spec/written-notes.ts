import type { ErrorObject } from 'ajv';
import type { Path, YamlFile } from './parse.ts';
import { REFUSALS } from './refusals.ts';
import type { Note } from './source-text.ts';
import { didYouMean, listed, nearest } from './suggest.ts';
import type { Fault, WrittenKind } from './written-fault.ts';

/** A fault in our words: what was expected, what came, what to write. */
export function noteOf(fault: Fault, kind: WrittenKind, yaml: YamlFile): Note {
  const { error } = fault;
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownField(fault, kind);
    case 'required':
    case 'dependencies':
      return missingField(fault, kind);
    case 'false schema':
      return CAP_WITHOUT_WORDS;
    case 'type':
      return wrongType(fault, yaml);
    case 'enum':
    case 'const':
      return unknownValue(fault, yaml);
    case 'pattern':
    case 'propertyNames':
      return wrongForm(fault);
    case 'oneOf':
      return oneOfFour(error);
    case 'not':
      return notFalse(fault);
    default:
      return outOfRange(fault, yaml);
  }
}

/** The field of the same mapping that was probably meant. */
export function nearestField({ error, path }: Fault): string | null {
  return nearest(String(path.at(-1)), fieldsOf(error));
}

interface FieldSchema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

function fieldsOf(error: ErrorObject): string[] {
  return Object.keys(propertiesOf(error));
}

function propertiesOf(error: ErrorObject): Record<string, FieldSchema> {
  return (error.parentSchema as { properties?: Record<string, FieldSchema> } | undefined)?.properties ?? {};
}

function unknownField(fault: Fault, kind: WrittenKind): Note {
  const { error, path } = fault;
  const name = String(path.at(-1));
  const refusal = REFUSALS[refusalKey(path)];
  if (refusal !== undefined) return { code: 'unknown-field', ...refusal };
  const around = path.length === 1 ? whole(kind) : `\`${nameOf(path.slice(0, -1))}\``;
  const near = nearestField(fault);
  const hint = near === null ? `Its fields are ${listed(fieldsOf(error), 20)}.` : `Did you mean \`${near}\`?`;
  return { code: 'unknown-field', message: `\`${name}\` is not a field of ${around}.`, hint };
}

function whole(kind: WrittenKind): string {
  return { job: 'a job', settings: 'the settings', approval: 'an approval' }[kind];
}

function missingField({ error, path }: Fault, kind: WrittenKind): Note {
  const name = String(error.params.missingProperty);
  const { description = '', examples = [] } = propertiesOf(error)[name] ?? {};
  const around = path.length === 0 ? whole(kind) : `\`${nameOf(path)}\``;
  const message = `${around} needs \`${name}\`${purpose(description)}.`;
  const hint = examples.length === 0 ? undefined : `Add \`${name}: ${inline(examples[0])}\`, for example.`;
  return { code: 'missing-field', message: message.charAt(0).toUpperCase() + message.slice(1), hint };
}

/** The first clause of a description: enough to know what a field is for. */
function purpose(description: string): string {
  const clause = /^[^.:;]*/.exec(description)?.[0] ?? '';
  return clause === '' ? '' : `: ${clause.charAt(0).toLowerCase()}${clause.slice(1)}`;
}

/** A value as it would stand in YAML: a text bare, anything else in flow style. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, inner]) => `${name}: ${inline(inner)}`);
  return `{ ${fields.join(', ')} }`;
}

function wrongType({ error, path }: Fault, yaml: YamlFile): Note {
  const types = [error.params.type].flat() as string[];
  const written = yaml.written(path);
  const name = nameOf(path);
  const isScalar = typeof error.data !== 'object' || error.data === null;
  if (types.includes('string') && isScalar && written !== null) return notText(name, written, error.data);
  const expected = types.map((type) => SHAPES[type] ?? type).join(' or ');
  const message = `\`${name}\` takes ${expected}; ${came(written, error.data)}.`;
  return { code: 'wrong-type', message, hint: exampleHint(error, path) };
}

function came(written: string | null, value: unknown): string {
  if (written === null) return Array.isArray(value) ? 'a list stands here' : 'a mapping stands here';
  return typeof value === 'string' ? `\`${written}\` is a text` : `\`${written}\` stands here`;
}

/** `01234` would be the number 1234, `1.10` the number 1.1: ids and labels are what the file says, so they are texts. */
function notText(name: string, written: string, value: unknown): Note {
  const read = typeof value === 'number' ? `the number ${value}` : String(value);
  return {
    code: 'not-text',
    message: `\`${name}\` takes a text; \`${written}\` is read as ${read}.`,
    hint: `Quote this value: "${written}".`,
  };
}

const SHAPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  array: 'a list',
  null: 'null',
};

function unknownValue({ error, path }: Fault, yaml: YamlFile): Note {
  const refusal = REFUSALS[`${refusalKey(path)}=${String(error.data)}`];
  if (refusal !== undefined) return { code: 'not-supported', ...refusal };
  const allowed = [error.params.allowedValues ?? error.params.allowedValue].flat().map(String);
  const expected = allowed.length === 1 ? listed(allowed) : `one of ${listed(allowed)}`;
  const [only] = allowed.length === 1 ? allowed : [];
  return {
    code: 'unknown-value',
    message: `\`${nameOf(path)}\` is ${expected}; ${came(yaml.written(path), null)}.`,
    hint: only === undefined ? didYouMean(String(error.data), allowed) : `Write \`${path.at(-1)}: ${only}\`.`,
  };
}

/** The path without indexes and without names of people's choice, as `REFUSALS` has it. */
function refusalKey(path: Path): string {
  const names = path.filter((step) => !/^\d+$/.test(String(step))).join('.');
  return names.replace(/^providers\.[^.]+/, 'providers.*');
}

function wrongForm({ error, path }: Fault): Note {
  const schema = error.parentSchema as {
    patternErrorMessage?: string;
    propertyNames?: { patternErrorMessage?: string };
  };
  const form = schema.patternErrorMessage ?? schema.propertyNames?.patternErrorMessage;
  const subject = error.keyword === 'propertyNames' ? String(path.at(-1)) : String(error.data);
  return { code: 'wrong-form', message: `\`${subject}\` cannot stand here.`, hint: form };
}

/** The one field that a job's schema shuts out beside another. */
const CAP_WITHOUT_WORDS: Note = {
  code: 'cap-not-taken',
  message: '`max_tokens` caps words, and neither an embedding nor a moderation has any.',
  hint: 'Leave it out.',
};

function oneOfFour(error: ErrorObject): Note {
  const both = error.params.passingSchemas !== null;
  return {
    code: 'schema-or-text',
    message: both
      ? 'An answer is one thing; only one of `schema`, `text`, `embedding` and `moderation` can stand here.'
      : 'It is not said whether an answer is JSON, text, an embedding or a moderation.',
    hint: 'Write `schema: <file under schemas/>`, `text: true`, `embedding: true` or `moderation: true`.',
  };
}

/** The one value that a job's schema shuts out by itself. */
function notFalse({ path }: Fault): Note {
  const message = `\`${nameOf(path)}\` is true or a mapping; \`false\` stands here.`;
  return { code: 'unknown-value', message, hint: 'Leave it out where it is not wanted.' };
}

const LIMITS: Readonly<Record<string, (limit: unknown) => string>> = {
  minimum: (limit) => `is at least ${limit}`,
  maximum: (limit) => `is at most ${limit}`,
  minLength: () => 'cannot be empty',
  maxLength: (limit) => `has at most ${limit} characters`,
  minItems: () => 'cannot be an empty list',
};

function outOfRange({ error, path }: Fault, yaml: YamlFile): Note {
  const written = yaml.written(path);
  const rule = LIMITS[error.keyword]?.(error.params.limit) ?? error.message ?? 'is not valid';
  const stands = written === null ? '' : `; \`${written}\` stands here`;
  const message = `\`${nameOf(path)}\` ${rule}${stands}.`;
  return { code: 'out-of-range', message, hint: exampleHint(error, path) };
}

function exampleHint(error: ErrorObject, path: Path): string | undefined {
  const [example] = (error.parentSchema as FieldSchema).examples ?? [];
  return example === undefined ? undefined : `For example \`${String(path.at(-1))}: ${inline(example)}\`.`;
}

/** `sinks[0].kind` */
function nameOf(path: Path): string {
  return path.join('.').replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');
}
