import type { Shape } from './contract.ts';
import type { ResultFile } from './files.ts';
import { isObject, type Json } from './json.ts';
import type { FileLie, Framing } from './lies.ts';

/** A body made of the lines of a file. `whole` tells whether all that the file truly says can be read from it. */
export type Damaged = { body: Buffer; framing: Framing; breakAfter: number | null; whole: boolean };

/** What a lie makes of a result file. */
export function damageFile(file: ResultFile, lie: FileLie, shape: Shape): Damaged {
  const values = file.lines.map(({ value }) => value);
  const framing = 'framing' in lie ? (lie.framing ?? 'length') : 'length';
  switch (lie.kind) {
    case 'null_ids':
      return asLines(
        values.map((value) => ({ ...value, [shape.idField]: null })),
        false,
      );
    case 'renamed_ids':
      return asLines(
        values.map((value) => rename(value, shape)),
        false,
      );
    case 'missing_lines':
      return { ...asLines(values.slice(0, Math.max(0, values.length - lie.count)), false), framing };
    case 'cut_line':
      return { ...asBytes(cutLastLine(file.bytes), false), framing };
    case 'reset_midway':
      return { ...asBytes(file.bytes, false), framing, breakAfter: file.bytes.length >> 1 };
    case 'rubbish_line':
      return addRubbish(values, lie.at ?? 0, lie.instead === true);
    case 'blank_line':
      return asBytes(Buffer.concat([Buffer.from('\n'), file.bytes]), true);
    case 'no_final_newline':
      return asBytes(file.bytes.subarray(0, file.bytes.length - 1), true);
    case 'strange_content':
      return makeStrange(values, lie, shape);
    case 'content_as_text':
      return asLines(
        values.map((value) => mapContent(value, shape, (content) => JSON.stringify(content))),
        true,
      );
    case 'twin':
      return addTwin(values, lie.at ?? 0, lie.same === true, shape);
    case 'foreign_lines':
      return addForeign(values, lie.beside === true, shape);
    default:
      return lie satisfies never;
  }
}

function asBytes(body: Buffer, whole: boolean): Damaged {
  return { body, framing: 'length', breakAfter: null, whole };
}

function asLines(lines: (Json | string)[], whole: boolean): Damaged {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return asBytes(Buffer.from(texts.map((text) => `${text}\n`).join('')), whole);
}

function rename(value: Json, { idField }: Shape): Json {
  return { ...value, [idField]: `request-${String(value[idField]).length}-renamed` };
}

/** Half of the last line is left, so that a file of one line is cut as well. */
function cutLastLine(bytes: Buffer): Buffer {
  const from = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  return bytes.subarray(0, from + ((bytes.length - from) >> 1));
}

function addRubbish(values: Json[], at: number, instead: boolean): Damaged {
  const rubbish = '<<upstream sent an invalid frame>>';
  return asLines([...values.slice(0, at), rubbish, ...values.slice(instead ? at + 1 : at)], !instead);
}

function makeStrange(
  values: Json[],
  lie: Extract<FileLie, { kind: 'strange_content' }>,
  shape: Shape,
): Damaged {
  const content = { empty: {}, text: 'Service is degraded. Try again later.', null: null }[lie.content];
  const upTo = lie.count ?? values.length;
  return asLines(
    values.map((value, index) => (index < upTo ? mapContent(value, shape, () => content) : value)),
    false,
  );
}

function mapContent(value: Json, shape: Shape, change: (content: unknown) => unknown): Json {
  const content = shape.readContent(value);
  return content === undefined ? value : shape.writeContent(value, change(content));
}

/** The other twin has the same id and other ids and texts inside. */
function addTwin(values: Json[], at: number, same: boolean, shape: Shape): Damaged {
  const one = values[at];
  if (one === undefined) return asLines(values, true);
  const twin = same ? one : mapContent(one, shape, changeTexts);
  return asLines([...values, twin], true);
}

const CHANGED = ['text', 'content', 'id', 'responseId', 'embedding', 'values'];

function changeTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(changeTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      CHANGED.includes(name) ? changeMember(member) : changeTexts(member),
    ]),
  );
}

/** A text that is a JSON answer stays one, but says something else where it holds true or false. */
function changeMember(member: unknown): unknown {
  if (typeof member === 'string')
    return /true|false/.test(member)
      ? member.replace(/true|false/, (word) => (word === 'true' ? 'false' : 'true'))
      : `${member}2`;
  if (Array.isArray(member) && member.every((each) => typeof each === 'number'))
    return member.map((n) => n / 2);
  return changeTexts(member);
}

function addForeign(values: Json[], beside: boolean, shape: Shape): Damaged {
  const foreign = values.map((value, index) => ({ ...value, [shape.idField]: `someone-else_${index}` }));
  return asLines(beside ? [...foreign, ...values] : foreign, beside);
}
