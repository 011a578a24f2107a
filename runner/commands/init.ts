import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { userError } from '../errors.ts';
import { isCode, readTextOrNull } from '../files.ts';
import { type GitPlace, gitPlace } from '../git.ts';
import { plural } from '../spec/finding-text.ts';
import { readScaffold, type Scaffold } from './scaffold.ts';
import { writeNew } from './write-new.ts';

export interface InitOptions {
  /** Absolute; made where it is not there. */
  readonly folder: string;
  /** Of this package. */
  readonly version: string;
  readonly json: boolean;
  readonly out: (text: string) => void;
}

/** What became of each file; all paths are from the folder. */
interface Outcome {
  readonly written: readonly string[];
  /** There already, and the same. */
  readonly same: readonly string[];
  /** There already, and another: left alone. */
  readonly kept: readonly string[];
}

/**
 * Sets a repository up: settings, an example that can be rehearsed, schemas for editors, workflows. Nothing that is
 * there is written over; what was left alone is listed, with what to add by hand. A second time it writes nothing.
 * @throws UserError where the folder cannot be one
 */
export async function runInit({ folder, version, json, out }: InitOptions): Promise<number> {
  await refuseFile(folder);
  const place = await gitPlace(folder);
  const scaffold = await readScaffold({ version, branch: place.branch, hasRemote: place.hasRemote });
  const wanted = (await hasJobs(folder)) ? withoutExample(scaffold) : scaffold;
  const owners = await ownersElsewhere(folder);
  const outcome = await writeAll(folder, owners === null ? wanted : without(wanted, OWNERS));
  const advice = [
    ...(await byHand(folder, scaffold, outcome)),
    ...(owners === null ? [] : [linesFor(owners, scaffold.get(OWNERS) ?? '')]),
    ...placeAdvice(folder, place),
  ];
  out(json ? documentOf(outcome, advice) : told(outcome, advice, place, wanted.has(EXAMPLE)));
  return 0;
}

async function refuseFile(folder: string): Promise<void> {
  const there = await stat(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null;
    throw userError(
      'no-folder',
      `${folder} cannot be a folder`,
      'Name a folder, or one that is not there yet.',
    );
  });
  if (there !== null && !there.isDirectory())
    throw userError('no-folder', `${folder} is a file`, 'Name a folder, or one that is not there yet.');
}

const EXAMPLE = 'jobs/ticket-labels.yaml';
const EXAMPLES = /^(jobs|prompts|data)\/|^schemas\/ticket-label\.schema\.json$/;

/** Who has jobs needs no example among them: it would be sent with them. */
async function hasJobs(folder: string): Promise<boolean> {
  const jobs = await stat(join(folder, 'jobs')).catch(() => null);
  return jobs !== null && (await readTextOrNull(join(folder, EXAMPLE))) === null;
}

function withoutExample(scaffold: Scaffold): Scaffold {
  return new Map([...scaffold].filter(([path]) => !EXAMPLES.test(path)));
}

const OWNERS = '.github/CODEOWNERS';

/** GitHub reads the first of three places alone: a new file in `.github` would switch another one off. */
async function ownersElsewhere(folder: string): Promise<string | null> {
  for (const path of ['CODEOWNERS', 'docs/CODEOWNERS'])
    if ((await readTextOrNull(join(folder, path))) !== null) return path;
  return null;
}

function without(scaffold: Scaffold, path: string): Scaffold {
  return new Map([...scaffold].filter(([each]) => each !== path));
}

async function writeAll(folder: string, scaffold: Scaffold): Promise<Outcome> {
  const outcome = { written: [] as string[], same: [] as string[], kept: [] as string[] };
  for (const [path, text] of scaffold) outcome[await writeOne(join(folder, path), text)].push(path);
  return outcome;
}

async function writeOne(path: string, text: string): Promise<keyof Outcome> {
  try {
    await writeNew(path, text);
    return 'written';
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    // A folder of that name, or a link to nowhere, is somebody's too.
    return (await readTextOrNull(path).catch(() => null)) === text ? 'same' : 'kept';
  }
}

/** What a person should add to files that were left alone. */
async function byHand(folder: string, scaffold: Scaffold, { kept }: Outcome): Promise<string[]> {
  const advice: string[] = [];
  for (const path of kept) {
    const text = scaffold.get(path) ?? '';
    if (path === '.gitignore') advice.push(...(await missingLines(join(folder, path), text)));
    else if (BY_HAND.has(path))
      advice.push(`${path}: see whether you want these lines too:\n${indented(text)}`);
    else advice.push(`${path} is another one than this version would write; compare, or leave it`);
  }
  return advice;
}

const BY_HAND: ReadonlySet<string> = new Set(['.vscode/settings.json', OWNERS, 'batchwright.yaml']);

function linesFor(path: string, text: string): string {
  return `${path}: see whether you want these lines too:
${indented(text)}`;
}

async function missingLines(path: string, text: string): Promise<string[]> {
  const there = new Set(((await readTextOrNull(path)) ?? '').split('\n').map((line) => line.trim()));
  const missing = text.split('\n').filter((line) => line !== '' && !there.has(line));
  return missing.length === 0 ? [] : [`.gitignore: add\n${indented(missing.join('\n'))}`];
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '      ');
}

function placeAdvice(folder: string, { top }: GitPlace): string[] {
  if (top === null || relative(top, folder) === '') return [];
  return [
    `${folder} is not the top of its repository: GitHub reads workflows only at ${top}. Move .github there, and set \`root\` in them`,
  ];
}

function told(
  { written, same, kept }: Outcome,
  advice: readonly string[],
  place: GitPlace,
  hasExample: boolean,
): string {
  const counts = [plural(written.length, 'file')].map((files) => `${files} written`);
  if (same.length > 0) counts.push(`${same.length} there already`);
  if (kept.length > 0) counts.push(`${kept.length} left as ${kept.length === 1 ? 'it is' : 'they are'}`);
  const lists = [
    ...written.map((path) => `  ${path}`),
    ...(advice.length === 0 ? [] : ['', 'By hand:', ...advice.map((line) => `  - ${line}`)]),
  ];
  return `${[`${counts.join(', ')}.`, ...lists, '', 'Next:', ...nextSteps(place, hasExample)].join('\n')}\n`;
}

function nextSteps({ top, hasRemote }: GitPlace, hasExample: boolean): string[] {
  const steps = [
    ...(hasExample ? [] : ['batchwright new NAME --from data/FILE --key COLUMN']),
    'batchwright validate',
    'batchwright rehearse                 free: nothing leaves this machine',
    'batchwright plan                     what would be sent, and what it would cost',
    ...(top === null ? ['git init --initial-branch=main'] : []),
    ...(hasRemote ? [] : ['push it to GitHub, and name the store in batchwright.yaml']),
    'put a key into the secret OPENAI_API_KEY, or let OpenAI trust this repository (docs/github.md)',
    'open a pull request: its plan comes as a comment; merging sends it',
  ];
  return steps.map((step, at) => `  ${at + 1}. ${step}`);
}

function documentOf({ written, same, kept }: Outcome, advice: readonly string[]): string {
  const document = { format: 'batchwright/init/v1', written, same, kept, by_hand: advice };
  return `${JSON.stringify(document, null, 2)}\n`;
}
