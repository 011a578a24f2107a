import type { ErrorObject, ValidateFunction } from 'ajv';
import { type Finding, messageOf, UserError } from '../errors.ts';
import type { JsonObject } from '../ids.ts';
import { type AnswerFault, faultOf, namesIn } from './answer-check.ts';
import { compileIn, dialectOf, metaErrors } from './dialect.ts';
import { validateExactly } from './multiple-of.ts';
import type { ProviderKind } from './profiles.ts';
import { type SchemaNote, schemaNotes } from './schema-notes.ts';
import { subsetOf } from './schema-subset.ts';
import { pointerOf } from './schema-walk.ts';
import { sentSchema } from './sent-schema.ts';
import { strictProblems } from './strict-subset.ts';
import { listed } from './suggest.ts';

export type { AnswerFault } from './answer-check.ts';

/**
 * Null: the answer is valid. No coercion, no defaults; the value is not changed. `exact`: the same value, in which numbers
 * that a double cannot hold print as they were written; the value itself where there are none.
 */
export type AnswerCheck = (value: unknown, exact?: unknown) => AnswerFault | null;

/**
 * Compiles the whole schema (`schema.value`, not the sent one). Dialect by `$schema`: draft-07 where it says so, else
 * 2020-12; formats are checked, patterns are Unicode.
 * @throws UserError where the schema does not compile, which `validate` has said before
 */
export function compileAnswerCheck(schema: JsonObject): AnswerCheck {
  const compiled = compile(schema);
  if (compiled.kind === 'broken') throw new UserError(compiled.notes.map(findingOf));
  const { validate } = compiled;
  const names = namesIn(schema);
  return (value, exact = value) =>
    validateExactly(validate, value, exact) ? null : faultOf(validate.errors as ErrorObject[], names);
}

/** True where the schema lies within OpenAI's strict subset and so may travel with `strict: true`. Takes `schema.sent`. */
export function isStrict(schema: JsonObject): boolean {
  return strictProblems(schema).length === 0;
}

/** Everything that `validate` says about an output schema: what keeps it from compiling, what keeps it from strict mode. */
export function outputSchemaNotes(schema: JsonObject, kind: ProviderKind): SchemaNote[] {
  const compiled = compile(schema);
  if (compiled.kind === 'broken') return compiled.notes;
  return [...compiled.notes, ...strictNotes(schema, kind)];
}

type Compiled =
  | { readonly kind: 'compiled'; readonly validate: ValidateFunction; readonly notes: SchemaNote[] }
  | { readonly kind: 'broken'; readonly notes: SchemaNote[] };

function compile(schema: JsonObject): Compiled {
  const notes = schemaNotes(schema);
  const dialect = dialectOf(schema);
  if (dialect === null || notes.some(isError)) return { kind: 'broken', notes };
  const meta = metaErrors(dialect, schema).filter(({ keyword }) => keyword !== 'anyOf');
  if (meta.length > 0) return { kind: 'broken', notes: [...notes, ...eachPlaceOnce(meta.map(metaNote))] };
  try {
    return { kind: 'compiled', validate: compileIn(dialect, schema), notes };
  } catch (error) {
    return { kind: 'broken', notes: [...notes, compileNote(messageOf(error))] };
  }
}

function isError({ level }: SchemaNote): boolean {
  return level !== 'warning';
}

/** `"type": "arry"` fails several branches of the dialect's schema, and is one mistake. */
function eachPlaceOnce(notes: readonly SchemaNote[]): SchemaNote[] {
  return [...new Map([...notes].reverse().map((note) => [pointerOf(note.path), note])).values()].reverse();
}

function metaNote({ instancePath, keyword, params, message }: ErrorObject): SchemaNote {
  const path = instancePath.split('/').slice(1);
  const allowed = keyword === 'enum' ? `is one of ${listed(params.allowedValues)}` : message;
  return { path, code: 'schema-compile', message: `\`${path.at(-1) ?? 'a schema'}\` ${allowed}.` };
}

/** Ajv's own words; its formats are the one thing that people stumble over here. */
function compileNote(message: string): SchemaNote {
  const [, format, pointer] = /unknown format "(.+)" ignored in schema at path "#?(.*)"/.exec(message) ?? [];
  if (format === undefined) {
    return { path: [], code: 'schema-compile', message: `The schema does not compile: ${message}.` };
  }
  return {
    path: [...(pointer ?? '').split('/').slice(1).map(decodeURIComponent), 'format'],
    code: 'schema-compile',
    message: `\`${format}\` is not a known format.`,
    hint: 'Use date, date-time, email, uri, uuid …, or a `pattern`.',
  };
}

function strictNotes(schema: JsonObject, kind: ProviderKind): SchemaNote[] {
  const { problems, outside } = subsetOf(kind);
  return problems(sentSchema(schema, kind)).map(({ path, message, hint }, index) => ({
    path,
    level: 'warning',
    code: 'schema-not-strict',
    message: index === 0 ? `${message} Until it fits, ${outside}.` : message,
    hint,
  }));
}

/** The message with the JSON Pointer of the place, which a reader of a log can follow without the caret. */
export function pointedMessage({ path, message }: SchemaNote): string {
  return path.length === 0 ? message : `${pointerOf(path)}: ${message}`;
}

function findingOf(note: SchemaNote): Finding {
  const { level = 'error', code, hint } = note;
  return { level, code, message: pointedMessage(note), ...(hint === undefined ? {} : { hint }) };
}
