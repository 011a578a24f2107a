import { type Finding, UserError } from '../errors.ts';
import type { LoadedJob, PromptSpec, TextFile } from './job.ts';
import type { Path, YamlFile } from './parse.ts';
import { pathNote } from './paths.ts';
import { type CompiledPrompts, compilePrompts, type PromptPath } from './prompt.ts';
import type { Settings } from './settings.ts';
import type { Note } from './source-text.ts';
import { sourceText } from './source-text.ts';
import { didYouMean, listed } from './suggest.ts';
import { textFindings } from './text-lint.ts';
import { textFile, type WorkTree } from './work-tree.ts';

export interface LoadedPrompts {
  /** Null where a file is missing or cannot be used. */
  readonly prompts: LoadedJob['prompts'] | null;
  readonly findings: readonly Finding[];
}

const FOLDER = 'prompts';
const PARTIALS = 'partials/';

/** Reads the templates of a job and the partials that they use, and checks what can be checked without rows. */
export async function loadPrompts(
  spec: PromptSpec,
  yaml: YamlFile,
  tree: WorkTree,
  settings: Settings,
): Promise<LoadedPrompts> {
  const system =
    spec.system === null ? null : await readPrompt(spec.system, ['prompt', 'system'], yaml, tree);
  const user = await readPrompt(spec.user, ['prompt', 'user'], yaml, tree);
  const unread = [system, user].flatMap((read) => (read !== null && 'findings' in read ? read.findings : []));
  if (unread.length > 0 || user === null || 'findings' in user) return { prompts: null, findings: unread };
  const files = { system: system as TextFile | null, user, partials: await partialsOf(tree) };
  const compiled = compiledOrNot(files);
  if ('findings' in compiled) return { prompts: null, findings: compiled.findings };
  const used = compiled.partials.map((name) => [name, files.partials[name]] as const);
  const prompts = { ...files, partials: Object.fromEntries(used) as Record<string, TextFile> };
  return { prompts, findings: promptFindings(prompts, compiled, yaml, settings) };
}

type Read = TextFile | { readonly findings: readonly Finding[] } | null;

async function readPrompt(path: string, at: Path, yaml: YamlFile, tree: WorkTree): Promise<Read> {
  const file = `${FOLDER}/${path}`;
  const note = leavesFolder(path) ?? (await pathNote(file, { root: tree.root, allowedRoots: [] }));
  if (note !== null) return { findings: [yaml.at(at, 'value', note)] };
  const read = await tree.read(file);
  if (read.kind === 'text') return textFile(read.source);
  if (read.kind === 'unreadable') return { findings: [read.finding] };
  return { findings: [yaml.at(at, 'value', await missing(path, tree))] };
}

function leavesFolder(path: string): Note | null {
  if (!path.startsWith('/') && !path.split('/').includes('..')) return null;
  return {
    code: 'outside-folder',
    message: `\`${path}\` leads out of ${FOLDER}/.`,
    hint: `Prompts are named from ${FOLDER}/ on: \`ticket-labels/user.hbs\`.`,
  };
}

async function missing(path: string, tree: WorkTree): Promise<Note> {
  const known = (await tree.list(FOLDER)).filter(
    (file) => file.endsWith('.hbs') && !file.startsWith(PARTIALS),
  );
  const folders = [...new Set(known.flatMap((file) => /^(.*)\/user\.hbs$/.exec(file)?.[1] ?? []))];
  const folder = /^(.*)\/(?:user|system)\.hbs$/.exec(path)?.[1];
  const near = folder === undefined ? undefined : didYouMean(folder, folders);
  const list = known.length === 0 ? `${FOLDER}/ holds no templates yet.` : `There are ${listed(known)}.`;
  return {
    code: 'missing-prompt',
    message: `There is no ${FOLDER}/${path}.`,
    hint: near ?? didYouMean(path, known) ?? list,
  };
}

/** Every template under prompts/partials/, by its path from there without `.hbs`. */
async function partialsOf(tree: WorkTree): Promise<Record<string, TextFile>> {
  const names = (await tree.list(`${FOLDER}/${PARTIALS}`)).filter((name) => name.endsWith('.hbs'));
  const read = await Promise.all(names.map((name) => tree.read(`${FOLDER}/${PARTIALS}${name}`)));
  const partials = read.flatMap((each, index) =>
    each.kind === 'text'
      ? [[names[index]?.slice(0, -'.hbs'.length) ?? '', textFile(each.source)] as const]
      : [],
  );
  return Object.fromEntries(partials);
}

function compiledOrNot(
  files: LoadedJob['prompts'],
): CompiledPrompts | { readonly findings: readonly Finding[] } {
  try {
    return compilePrompts(files);
  } catch (error) {
    if (error instanceof UserError) return { findings: error.findings };
    throw error;
  }
}

function promptFindings(
  prompts: LoadedJob['prompts'],
  compiled: CompiledPrompts,
  yaml: YamlFile,
  settings: Settings,
): Finding[] {
  const files = [prompts.system, prompts.user, ...Object.values(prompts.partials)].filter(
    (file) => file !== null,
  );
  const lint = files.flatMap(({ path, text }) => textFindings(sourceText(path, text)));
  const withheld = withheldFindings(compiled, settings.policy.neverSend);
  const isConstant = compiled.columns !== null && compiled.columns.length === 0;
  return [...lint, ...withheld, ...(isConstant ? [yaml.at(['prompt'], 'value', CONSTANT)] : [])];
}

const CONSTANT: Note = {
  level: 'warning',
  code: 'constant-prompt',
  message: 'The prompt uses no column: every row would ask, and pay for, the same question.',
  hint: 'Use a column in the user prompt, as in {{subject}}.',
};

/**
 * Columns under `policy.never_send`, whatever their case. A prompt that sends the whole row (`{{json this}}`) sends
 * it without them: they are taken out of each row before a template sees it.
 */
function withheldFindings(compiled: CompiledPrompts, neverSend: readonly string[]): Finding[] {
  const held = new Set(neverSend.map((name) => name.toLowerCase()));
  return compiled.paths.filter(({ name }) => held.has(name.toLowerCase())).map(withheld);
}

function withheld({ name, path: _path, ...place }: PromptPath): Finding {
  return {
    level: 'error',
    code: 'never-send',
    message: `\`${name}\` is under \`policy.never_send\` and must not reach a prompt.`,
    hint: 'Take it out of the template.',
    ...place,
  };
}
