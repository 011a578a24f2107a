import type { Finding } from '../errors.ts';
import type { Instant } from '../ids.ts';
import { defines } from './defines.ts';
import type { Job, LoadedJob } from './job.ts';
import { jobPathFindings } from './job-paths.ts';
import { loadPrompts } from './load-prompts.ts';
import { loadSchema } from './load-schema.ts';
import { normaliseJob } from './normalise.ts';
import { parseYaml, type YamlFile } from './parse.ts';
import { pathNote } from './paths.ts';
import { defaultEndpoint, kindOf } from './profiles.ts';
import { ruleNotes } from './rules.ts';
import { salvaged } from './salvage.ts';
import type { Settings } from './settings.ts';
import { sinkColumnNotes } from './sink-columns.ts';
import { findingInFile } from './source-text.ts';
import { textFindings } from './text-lint.ts';
import type { WorkTree } from './work-tree.ts';
import { checkWritten } from './written-check.ts';

/** A job's file as far as it could be read. */
export interface Draft {
  readonly file: string;
  readonly yaml: YamlFile | null;
  /** With placeholders where a field is broken; null where there is no YAML. */
  readonly job: Job | null;
  /** Top-level fields that cannot be used. */
  readonly broken: ReadonlySet<string>;
  /** Null unless everything is there. */
  readonly loaded: LoadedJob | null;
  readonly findings: readonly Finding[];
}

/** Reads one file under jobs/ with everything it names. */
export async function loadJob(
  file: string,
  tree: WorkTree,
  settings: Settings,
  now: Instant,
): Promise<Draft> {
  const outside = await pathNote(file, { root: tree.root, allowedRoots: [] });
  if (outside !== null) return unread(file, [findingInFile(file, outside)]);
  const read = await tree.read(file);
  if (read.kind === 'unreadable') return unread(file, [read.finding]);
  if (read.kind === 'absent') return unread(file, [findingInFile(file, DANGLING)]);
  const parsed = parseYaml(read.source);
  if (parsed.kind === 'broken') return unread(file, [...parsed.findings, ...textFindings(read.source)]);
  const checked = await checkedJob(parsed.yaml, tree, settings, now);
  return { ...checked, findings: [...parsed.findings, ...checked.findings, ...textFindings(read.source)] };
}

const DANGLING = { code: 'missing-file', message: 'The file is a link to nothing.' };

function unread(file: string, findings: readonly Finding[]): Draft {
  return { file, yaml: null, job: null, broken: new Set(), loaded: null, findings };
}

async function checkedJob(yaml: YamlFile, tree: WorkTree, settings: Settings, now: Instant): Promise<Draft> {
  const { file } = yaml.source;
  const { findings, broken } = checkWritten('job', yaml);
  const templates = new Set(await tree.list('prompts'));
  const job = normaliseJob(
    salvaged(yaml.value, broken),
    file,
    (path) => templates.has(path),
    (provider, output) => defaultEndpoint(kindOf(provider, settings), output),
  );
  const kind = kindOf(job.model.provider, settings);
  const prompts = broken.has('prompt') ? NO_PROMPTS : await loadPrompts(job.prompt, yaml, tree, settings);
  const schema = broken.has('output') ? NO_SCHEMA : await loadSchema(job.output, yaml, tree, kind);
  const notes = [...ruleNotes({ job, settings, now }), ...sinkColumnNotes(job, schema.schema?.value ?? null)]
    .filter(({ path }) => !broken.has(String(path[0])))
    .map(({ path, points, ...note }) => yaml.at(path, points ?? 'value', note));
  const paths = await jobPathFindings(job, yaml, {
    root: tree.root,
    allowedRoots: settings.policy.allowedRoots,
  });
  const all = [...findings, ...notes, ...paths, ...prompts.findings, ...schema.findings];
  return {
    file,
    yaml,
    job,
    broken,
    loaded: loadedJob(job, prompts.prompts, schema.schema, broken),
    findings: all,
  };
}

const NO_PROMPTS = { prompts: null, findings: [] };
const NO_SCHEMA = { schema: null, findings: [] };

function loadedJob(
  job: Job,
  prompts: LoadedJob['prompts'] | null,
  schema: LoadedJob['schema'],
  broken: ReadonlySet<string>,
): LoadedJob | null {
  if (broken.size > 0 || prompts === null || (schema === null && job.output.kind === 'json')) return null;
  return { job, prompts, schema, defines: defines(job, { prompts, schema }) };
}
