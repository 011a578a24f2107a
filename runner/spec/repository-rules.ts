import type { Finding } from '../errors.ts';
import type { Job } from './job.ts';
import type { Draft } from './load-job.ts';
import type { Path, YamlFile } from './parse.ts';
import type { Note } from './source-text.ts';

interface Named {
  readonly file: string;
  readonly job: Job;
  readonly yaml: YamlFile;
  readonly broken: ReadonlySet<string>;
}

/** What only all jobs together can show. Both sides of a clash are told: neither is right by itself. */
export function repositoryFindings(drafts: readonly Draft[]): Finding[] {
  const named = drafts.flatMap((draft) => {
    const { file, job, yaml, broken } = draft;
    return job === null || yaml === null || broken.has('name') ? [] : [{ file, job, yaml, broken }];
  });
  return [...namesOnce(named), ...namesNotTaken(named), ...sinksOnce(named), ...movesFromGone(named)];
}

function namesOnce(named: readonly Named[]): Finding[] {
  const names = named.map((each) => ({ each, value: each.job.name, shown: each.job.name, path: ['name'] }));
  return clashes(names, (name, others) => ({
    code: 'name-twice',
    message: `The name \`${name}\` is also in ${others}.`,
    hint: 'A name is the identity of a job: give one of them another.',
  }));
}

/** Folders of state/ that are not a job's. */
const TAKEN = ['journal'];

function namesNotTaken(named: readonly Named[]): Finding[] {
  return named
    .filter(({ job }) => TAKEN.includes(job.name))
    .map(({ job, yaml }) =>
      yaml.at(['name'], 'value', {
        code: 'name-taken',
        message: `\`${job.name}\` is the name of a folder of ours under state/.`,
        hint: `Write \`${job.name}-job\`, for example.`,
      }),
    );
}

/** Two jobs of one name have one default sink as well: that they are told already. */
function sinksOnce(named: readonly Named[]): Finding[] {
  const names = named.map(({ job }) => job.name);
  const sinks = named
    .filter(
      ({ broken, job }) => !broken.has('sinks') && names.indexOf(job.name) === names.lastIndexOf(job.name),
    )
    .flatMap((each) =>
      each.job.sinks.map(({ path }, index) => ({
        each,
        value: plainPath(path),
        shown: path,
        path: ['sinks', index, 'path'],
      })),
    );
  return clashes(sinks, (path, others) => ({
    code: 'sink-twice',
    message: `\`${path}\` is also written by ${others}.`,
    hint: 'A sink is written whole: give each its own file.',
  }));
}

/** Some file systems do not tell case apart; two sinks that differ in nothing else would be one file there. */
function plainPath(path: string): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  return (path.startsWith('/') ? '/' : '') + steps.join('/').toLowerCase();
}

function movesFromGone(named: readonly Named[]): Finding[] {
  return named.flatMap(({ job, yaml }) => {
    const other = named.find((each) => each.job.name === job.movedFrom);
    if (other === undefined || other.job.name === job.name) return [];
    const note = {
      code: 'moved-from-present',
      message: `\`${other.job.name}\` is still a job (${other.file}); nothing moved from it.`,
      hint: 'Delete the old file in the same commit, or remove `moved_from`.',
    };
    return [yaml.at(['moved_from'], 'value', note)];
  });
}

interface Entry {
  readonly each: Named;
  /** What must not be the same twice, and how the file writes it. */
  readonly value: string;
  readonly shown: string;
  readonly path: Path;
}

function clashes(entries: readonly Entry[], noteOf: (shown: string, others: string) => Note): Finding[] {
  return entries.flatMap((entry) => {
    const others = entries.filter((other) => other !== entry && other.value === entry.value);
    if (others.length === 0) return [];
    const places = others.map(({ each }) => (each === entry.each ? 'another sink of this job' : each.file));
    const note = noteOf(entry.shown, [...new Set(places)].join(', '));
    return [entry.each.yaml.at(entry.path, 'value', note)];
  });
}
