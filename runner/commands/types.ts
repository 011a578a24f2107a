import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Finding } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { plural } from '../spec/finding-text.ts';
import { bannerOf, outputTypes, typeName } from '../spec/output-types.ts';
import { readSchema } from '../spec/read-schema.ts';
import { findingInFile } from '../spec/source-text.ts';
import { type WorkTree, workTree } from '../spec/work-tree.ts';
import { findingsText } from './findings.ts';

export interface TypesOptions {
  readonly root: string;
  readonly json: boolean;
  readonly color: boolean;
  readonly out: (text: string) => void;
}

const FROM = 'schemas';
const TO = 'schemas/types';

/**
 * Writes a TypeScript type for each output schema to schemas/types/, and removes those whose schema is gone.
 * Offline. Exit code 1 where a schema cannot be used; the others are written all the same.
 */
export async function runTypes(options: TypesOptions): Promise<number> {
  const tree = workTree(resolve(options.root));
  const schemas = (await tree.list(FROM)).filter((file) => file.endsWith('.json') && !isOurs(file));
  const results = await Promise.all(schemas.map((file) => typesOf(file, tree)));
  const stale = await removeStale(tree, new Set(results.map(({ to }) => to)));
  const findings = results.flatMap((each) => each.findings);
  const written = results.flatMap(({ to, text }) => (text === null ? [] : [to]));
  options.out(
    options.json ? documentOf(written, stale, findings) : told(written, stale, findings, options.color),
  );
  return findings.some(({ level }) => level === 'error') ? 1 : 0;
}

/** Our own schemas describe job and settings files, not answers. */
function isOurs(file: string): boolean {
  return file.startsWith('batchwright/') || file.startsWith('types/');
}

interface Typed {
  readonly to: string;
  /** Null where the schema cannot be used. */
  readonly text: string | null;
  readonly findings: readonly Finding[];
}

async function typesOf(file: string, tree: WorkTree): Promise<Typed> {
  const from = `${FROM}/${file}`;
  const to = `${TO}/${file.replace(/(\.schema)?\.json$/, '')}.d.ts`;
  const read = await tree.read(from);
  if (read.kind === 'absent') return { to, text: null, findings: [] };
  if (read.kind === 'unreadable') return { to, text: null, findings: [read.finding] };
  // Which provider will be held to it is for `validate` to say; here the strictest is asked.
  const { value, findings } = readSchema(read.source, 'openai');
  if (value === null) return { to, text: null, findings };
  const { text, notes } = await outputTypes(value, typeName(file), from);
  await writeWhole(join(tree.root, to), text);
  return { to, text, findings: notes.map(({ path: _path, ...note }) => findingInFile(from, note)) };
}

/** Only files with our first line are removed: a person may keep types of their own beside them. */
async function removeStale(tree: WorkTree, current: ReadonlySet<string>): Promise<string[]> {
  const files = (await tree.list(TO)).map((file) => `${TO}/${file}`).filter((file) => !current.has(file));
  const [mark = ''] = bannerOf('').split('from');
  const ours = await Promise.all(
    files.map(async (file) => (await readFile(join(tree.root, file), 'utf8')).startsWith(mark)),
  );
  const stale = files.filter((_file, index) => ours[index]);
  for (const file of stale) await rm(join(tree.root, file));
  return stale;
}

function told(
  written: readonly string[],
  stale: readonly string[],
  findings: readonly Finding[],
  color: boolean,
): string {
  const lines = [...written, ...stale.map((file) => `${file} removed: its schema is gone`)];
  const summary = `${plural(written.length, 'schema')} typed`;
  const problems = findings.length === 0 ? '' : `\n${findingsText(findings, { color })}`;
  return `${[...lines, summary].join('\n')}\n${problems}`;
}

function documentOf(
  written: readonly string[],
  removed: readonly string[],
  findings: readonly Finding[],
): string {
  return `${JSON.stringify({ format: 'batchwright/types/v1', written, removed, findings }, null, 2)}\n`;
}
