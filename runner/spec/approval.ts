import type { Finding } from '../errors.ts';
import { isJobName, type JobName } from '../ids.ts';
import { parseYaml } from './parse.ts';
import { findingInFile } from './source-text.ts';
import { didYouMean } from './suggest.ts';
import { textFindings } from './text-lint.ts';
import type { WorkTree } from './work-tree.ts';
import type { WrittenApproval } from './written-approval.generated.ts';
import { checkWritten } from './written-check.ts';

export const APPROVALS_FOLDER = 'approvals';

/** A person's word that one generation of a job may cost more than the threshold. */
export interface Approval {
  readonly job: JobName;
  readonly generation: number;
  /** First digits of the digests of what was looked at. */
  readonly defines: ApprovedParts;
  /** Over all runs of the generation. */
  readonly ceilingUsd: number;
  readonly maxRequests: number | null;
  /** The last day, UTC, on which a run may begin. */
  readonly expires: string;
}

export interface ApprovedParts {
  readonly model: string;
  readonly prompt: string;
  readonly schema: string | null;
  readonly input: string;
  readonly output: string;
  readonly source: string;
  readonly account: string;
}

export interface LoadedApprovals {
  readonly approvals: readonly Approval[];
  readonly findings: readonly Finding[];
}

/** Reads approvals/*.yaml. One that cannot be read approves nothing. */
export async function loadApprovals(tree: WorkTree, jobs: readonly string[]): Promise<LoadedApprovals> {
  const names = await tree.list(APPROVALS_FOLDER);
  const read = await Promise.all(
    names.filter((name) => name.endsWith('.yaml')).map((name) => loadApproval(name, tree, jobs)),
  );
  return {
    approvals: read.flatMap(({ approvals }) => approvals),
    findings: [...read.flatMap(({ findings }) => findings), ...misnamed(names)],
  };
}

async function loadApproval(name: string, tree: WorkTree, jobs: readonly string[]): Promise<LoadedApprovals> {
  const file = `${APPROVALS_FOLDER}/${name}`;
  const read = await tree.read(file);
  if (read.kind === 'absent') return { approvals: [], findings: [] };
  if (read.kind === 'unreadable') return { approvals: [], findings: [read.finding] };
  const parsed = parseYaml(read.source);
  if (parsed.kind === 'broken') return { approvals: [], findings: parsed.findings };
  const { findings, broken } = checkWritten('approval', parsed.yaml);
  const all = [...parsed.findings, ...findings, ...textFindings(read.source)];
  if (broken.size > 0) return { approvals: [], findings: all };
  const approval = normalised(parsed.yaml.value as unknown as WrittenApproval);
  if (approval === null || name !== `${approval.job}.yaml`) {
    const message = `The file approves job \`${approval?.job}\`, so its name is \`${approval?.job}.yaml\`.`;
    return {
      approvals: [],
      findings: [...all, parsed.yaml.at(['job'], 'value', { code: 'misnamed-file', message })],
    };
  }
  const unknown = jobs.includes(approval.job) ? [] : [findingInFile(file, unknownJob(approval.job, jobs))];
  return { approvals: [approval], findings: [...all, ...unknown] };
}

function normalised(written: WrittenApproval): Approval | null {
  if (!isJobName(written.job)) return null;
  return {
    job: written.job,
    generation: written.generation,
    defines: written.defines,
    ceilingUsd: written.ceiling_usd,
    maxRequests: written.max_requests ?? null,
    expires: written.expires,
  };
}

function unknownJob(job: string, jobs: readonly string[]) {
  return {
    level: 'warning' as const,
    code: 'unknown-job',
    message: `There is no job \`${job}\`, so this approves nothing.`,
    hint: didYouMean(job, jobs) ?? 'Remove the file.',
  };
}

function misnamed(names: readonly string[]): Finding[] {
  return names
    .filter((name) => /\.(yml|YAML|YML)$/.test(name))
    .map((name) =>
      findingInFile(`${APPROVALS_FOLDER}/${name}`, {
        code: 'misnamed-file',
        message: 'Approvals end in `.yaml`; this one is overlooked.',
        hint: `Rename it to ${name.replace(/\.\w+$/, '.yaml')}.`,
      }),
    );
}
