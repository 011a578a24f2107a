import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Finding, UserError, userError } from '../errors.ts';
import { epochMs, type Instant } from '../ids.ts';
import { type Approval, loadApprovals } from './approval.ts';
import type { LoadedJob } from './job.ts';
import { type Draft, loadJob } from './load-job.ts';
import { loadSettings, SETTINGS_FILE } from './load-settings.ts';
import { repositoryFindings } from './repository-rules.ts';
import type { Settings } from './settings.ts';
import { findingInFile } from './source-text.ts';
import { showable } from './text-lint.ts';
import { workTree } from './work-tree.ts';

/** Everything that git says, read once. Jobs with an error finding are not among `jobs`. */
export interface Repository {
  readonly root: string;
  /** By name. Empty where the settings cannot be read: nothing may be sent under limits that nobody knows. */
  readonly jobs: readonly LoadedJob[];
  readonly settings: Settings;
  /** Merged words of people about runs that cost much; broken ones are not among them. */
  readonly approvals: readonly Approval[];
  /** By file and line; secrets in them are blotted out. */
  readonly findings: readonly Finding[];
  /** Files that could not be used; while there is one, nothing may be pruned. */
  readonly brokenFiles: readonly BrokenFile[];
  /** How many files under jobs/ were read. */
  readonly files: number;
}

export interface BrokenFile {
  readonly file: string;
  readonly message: string;
}

export interface LoadOptions {
  /** Decides whether a suspension is over. */
  readonly now: Instant;
  /**
   * Another checkout, whose limits hold instead of this one's own: a pull request must not raise the limits that it is
   * judged by.
   */
  readonly policyRoot?: string | null;
}

/**
 * Reads settings, jobs, prompts and schemas. Nothing in them ends the reading: every mistake of every file is a
 * finding.
 * @throws UserError where `root` is not a folder, or the settings of the policy cannot be used
 */
export async function loadRepository(root: string, options: LoadOptions): Promise<Repository> {
  const tree = workTree(resolve(root));
  await checkFolder(tree.root, 'Name the repository with `--root DIR`.');
  const own = await loadSettings(tree);
  const settings = await underPolicy(own.settings, options.policyRoot ?? null);
  const settingsFindings = own.findings;
  const files = await tree.list('jobs');
  const yamls = files.filter((file) => file.endsWith('.yaml')).map((file) => `jobs/${file}`);
  const drafts = await Promise.all(yamls.map((file) => loadJob(file, tree, settings, options.now)));
  const { approvals, findings: approvalFindings } = await loadApprovals(
    tree,
    drafts.flatMap(({ job }) => job?.name ?? []),
  );
  const shared = [
    ...settingsFindings,
    ...approvalFindings,
    ...repositoryFindings(drafts),
    ...misnamed(files),
  ];
  const brokenFiles = brokenOf(drafts, shared);
  const settingsBroken = brokenFiles.some(({ file }) => file === SETTINGS_FILE);
  return {
    root: tree.root,
    jobs: settingsBroken ? [] : usable(drafts, brokenFiles).map(suspendedBy(settings, options.now)),
    settings,
    approvals,
    findings: inOrder([...shared, ...drafts.flatMap(({ findings }) => findings)]).map(showable),
    brokenFiles,
    files: yamls.length,
  };
}

/** Budgets, policy and branch of the other checkout; the rest, such as a new provider, is what is proposed. */
async function underPolicy(own: Settings, policyRoot: string | null): Promise<Settings> {
  if (policyRoot === null) return own;
  await checkFolder(policyRoot, 'Name a checkout of the base branch with `--policy DIR`.');
  const { settings, findings } = await loadSettings(workTree(resolve(policyRoot)));
  const errors = findings.filter(({ level }) => level === 'error');
  if (errors.length > 0) throw new UserError(errors);
  const { budgets, policy, branch, suspend } = settings;
  return { ...own, budgets, policy, branch, suspend };
}

/** A suspension in the settings stands over each job's own, as long as it lasts. */
function suspendedBy({ suspend }: Settings, now: Instant): (loaded: LoadedJob) => LoadedJob {
  const isOver = suspend === null || (suspend.until !== null && Date.parse(suspend.until) <= epochMs(now));
  return (loaded) => (isOver ? loaded : { ...loaded, job: { ...loaded.job, suspend } });
}

async function checkFolder(root: string, hint: string): Promise<void> {
  const found = await stat(root).catch(() => null);
  if (found?.isDirectory()) return;
  throw userError('no-repository', `${root} is not a folder.`, hint);
}

/** A job that is overlooked would look like a job that was deleted. */
function misnamed(files: readonly string[]): Finding[] {
  return files
    .filter((file) => /\.(yml|YAML|YML)$/.test(file))
    .map((file) =>
      findingInFile(`jobs/${file}`, {
        code: 'misnamed-file',
        message: 'Job files end in `.yaml`; this one would be overlooked.',
        hint: `Rename it to ${file.replace(/\.\w+$/, '.yaml')}.`,
      }),
    );
}

/** A job is broken by what is wrong in its own file, in a file that it names, or between it and another. */
function brokenOf(drafts: readonly Draft[], shared: readonly Finding[]): BrokenFile[] {
  const byFile = new Map<string, Finding[]>();
  const add = (file: string, findings: readonly Finding[]) => {
    const errors = findings.filter(({ level }) => level === 'error');
    if (errors.length > 0) byFile.set(file, [...(byFile.get(file) ?? []), ...errors]);
  };
  for (const { file, findings } of drafts) add(file, findings);
  for (const finding of shared) add(finding.file ?? SETTINGS_FILE, [finding]);
  return [...byFile]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, errors]) => ({ file, message: summary(file, errors) }));
}

function summary(file: string, errors: readonly Finding[]): string {
  const [first] = inOrder(errors);
  if (first === undefined) return '';
  const { message, line } = showable(first);
  const where = first.file === file ? `line ${line ?? 1}` : `${first.file}:${line ?? 1}`;
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  return `${line === undefined ? '' : `${where}: `}${message}${more}`;
}

function usable(drafts: readonly Draft[], broken: readonly BrokenFile[]): LoadedJob[] {
  const files = new Set(broken.map(({ file }) => file));
  return drafts
    .flatMap(({ file, loaded }) => (loaded === null || files.has(file) ? [] : [loaded]))
    .sort((a, b) => (a.job.name < b.job.name ? -1 : 1));
}

/** By file, line and column, each once: a prompt that two jobs use is one prompt. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const once = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...once.values()].sort(
    (a, b) =>
      compared(a.file ?? '', b.file ?? '') ||
      compared(a.line ?? 0, b.line ?? 0) ||
      compared(a.column ?? 0, b.column ?? 0),
  );
}

function compared(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
