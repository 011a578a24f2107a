import type { Finding } from '../errors.ts';
import { messageOf } from '../errors.ts';
import type { Json, JsonObject } from '../ids.ts';
import { outputSchemaNotes, pointedMessage } from './output-schema.ts';
import { parseYaml, type YamlFile } from './parse.ts';
import type { ProviderKind } from './profiles.ts';
import type { SchemaNote } from './schema-notes.ts';
import { isObject } from './schema-walk.ts';
import type { Note, SourceText } from './source-text.ts';
import { findingAt, findingInFile } from './source-text.ts';

export interface ReadSchema {
  /** Null where the schema cannot be used; then `findings` say why. */
  readonly value: JsonObject | null;
  readonly findings: readonly Finding[];
}

/** Reads an output schema, with everything that is wrong or doubtful at its place in the file. */
export function readSchema(source: SourceText, kind: ProviderKind): ReadSchema {
  const json = parsedJson(source);
  if ('finding' in json) return { value: null, findings: [json.finding] };
  if (!isObject(json.value)) return { value: null, findings: [findingInFile(source.file, NO_OBJECT)] };
  const places = placesOf(source);
  if (places.kind === 'twice') return { value: null, findings: places.findings };
  const findings = outputSchemaNotes(json.value, kind).map((note) => placed(note, source, places.yaml));
  const broken = findings.some(({ level }) => level === 'error');
  return { value: broken ? null : json.value, findings };
}

function parsedJson(source: SourceText): { readonly value: Json } | { readonly finding: Finding } {
  try {
    return { value: JSON.parse(source.text) as Json };
  } catch (error) {
    return { finding: syntaxFinding(source, messageOf(error)) };
  }
}

function syntaxFinding(source: SourceText, message: string): Finding {
  const at = offsetIn(source, message);
  const short = message.replace(/,? *(\.\.\.)?".*$/s, '').replace(/ (in JSON )?at position.*$/s, '');
  const hint = 'JSON has double quotes, no comments and no comma before `}` or `]`.';
  return findingAt(source, at, at + 1, {
    code: 'not-json',
    message: `The file is not JSON: ${short}.`,
    hint,
  });
}

/** V8 gives the offset in long texts, the character in short ones, and nothing where the text ends too early. */
function offsetIn(source: SourceText, message: string): number {
  const offset = /at position (\d+)/.exec(message)?.[1];
  if (offset !== undefined) return Number(offset);
  const character = /Unexpected token '(.)'/su.exec(message)?.[1];
  return character === undefined
    ? Math.max(0, source.text.trimEnd().length - 1)
    : source.text.indexOf(character);
}

const NO_OBJECT: Note = {
  code: 'not-json',
  message: 'A schema is a JSON object.',
  hint: 'Begin with `{"type": "object", …}`.',
};

type Places =
  | { readonly kind: 'yaml'; readonly yaml: YamlFile | null }
  | { kind: 'twice'; findings: Finding[] };

/** JSON is YAML as well, and its parser knows places, and names that stand twice, where JSON.parse keeps the last. */
function placesOf(source: SourceText): Places {
  const parsed = parseYaml(source);
  if (parsed.kind === 'yaml') return { kind: 'yaml', yaml: parsed.yaml };
  const findings = parsed.findings.filter(({ code }) => code === 'duplicate-key');
  return findings.length > 0 ? { kind: 'twice', findings } : { kind: 'yaml', yaml: null };
}

function placed(note: SchemaNote, source: SourceText, yaml: YamlFile | null): Finding {
  const { level, code, hint, path } = note;
  const told: Note = { ...(level && { level }), code, message: pointedMessage(note), hint };
  return yaml === null ? findingInFile(source.file, told) : yaml.at(path, 'key', told);
}
