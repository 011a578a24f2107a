import type { Finding } from '../errors.ts';
import type { JsonObject } from '../ids.ts';
import type { LoadedJob, OutputSpec } from './job.ts';
import type { YamlFile } from './parse.ts';
import { pathNote } from './paths.ts';
import type { ProviderKind } from './profiles.ts';
import { readSchema } from './read-schema.ts';
import { sentSchema } from './sent-schema.ts';
import type { Note } from './source-text.ts';
import { didYouMean, listed } from './suggest.ts';
import { textFindings } from './text-lint.ts';
import { textFile, type WorkTree } from './work-tree.ts';

export interface LoadedSchema {
  readonly schema: LoadedJob['schema'];
  readonly findings: readonly Finding[];
}

const FOLDER = 'schemas';
/** Ours: schemas of job and settings files, which no answer follows. */
const OURS = 'batchwright/';
const AT = ['output', 'schema'];

/** Reads the output schema of a job; a job for free text has none. */
export async function loadSchema(
  output: OutputSpec,
  yaml: YamlFile,
  tree: WorkTree,
  kind: ProviderKind,
): Promise<LoadedSchema> {
  if (output.kind !== 'json') return { schema: null, findings: [] };
  const file = `${FOLDER}/${output.schema}`;
  const note = leavesFolder(output.schema) ?? (await pathNote(file, { root: tree.root, allowedRoots: [] }));
  if (note !== null) return { schema: null, findings: [yaml.at(AT, 'value', note)] };
  const text = await tree.read(file);
  if (text.kind === 'unreadable') return { schema: null, findings: [text.finding] };
  if (text.kind === 'absent') {
    return { schema: null, findings: [yaml.at(AT, 'value', await missing(output.schema, tree))] };
  }
  const { value, findings } = readSchema(text.source, kind);
  const all = [...findings, ...textFindings(text.source)];
  return { schema: value === null ? null : loaded(textFile(text.source), value, kind), findings: all };
}

function loaded(
  file: NonNullable<LoadedJob['schema']>['file'],
  value: JsonObject,
  kind: ProviderKind,
): LoadedJob['schema'] {
  return { file, value, sent: sentSchema(value, kind) };
}

function leavesFolder(path: string): Note | null {
  if (!path.startsWith('/') && !path.split('/').includes('..')) return null;
  return {
    code: 'outside-folder',
    message: `\`${path}\` leads out of ${FOLDER}/.`,
    hint: `Schemas are named from ${FOLDER}/ on: \`ticket-label.schema.json\`.`,
  };
}

async function missing(path: string, tree: WorkTree): Promise<Note> {
  const known = (await tree.list(FOLDER)).filter((file) => file.endsWith('.json') && !file.startsWith(OURS));
  const list = known.length === 0 ? `${FOLDER}/ holds no schemas yet.` : `There are ${listed(known)}.`;
  return {
    code: 'missing-schema',
    message: `There is no ${FOLDER}/${path}.`,
    hint: didYouMean(path, known) ?? list,
  };
}
