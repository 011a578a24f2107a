import { writeFile } from 'node:fs/promises';
import type { PassContext } from '../reconcile/context.ts';
import { isDamage } from '../reconcile/faults.ts';
import { planJson } from '../report/json.ts';
import { planComment } from '../report/plan-comment.ts';
import { planTerminal } from '../report/plan-terminal.ts';
import type { PlanView } from '../report/plan-view.ts';
import type { LoadedJob } from '../spec/job.ts';
import { loadRepository, type Repository } from '../spec/load.ts';
import { type Common, EXIT } from './common.ts';
import { findingsText } from './findings.ts';
import { selected, sessionAt } from './session.ts';
import { viewPlan } from './view-plan.ts';

export interface PlanOptions extends Common {
  readonly jobs: readonly string[];
  readonly detailedExitcode: boolean;
  readonly policyRoot?: string | null;
  /** Write the plan as a pull request's comment to this file too. */
  readonly comment?: string | null;
  /** Standard error by default. */
  readonly err?: (text: string) => void;
}

/**
 * What a pass would do now. Reads git, journal and sources; sends nothing, needs no key. What cannot be read as a job
 * is told on standard error and makes the exit code 1; the other jobs are planned all the same, as a pass does it.
 */
export async function runPlan(options: PlanOptions): Promise<number> {
  const session = await sessionAt(options);
  try {
    const ctx = await session.context();
    const only = selected(options.jobs, ctx.repository);
    const isWhole = tellErrors(ctx.repository, options.err);
    const verb = options.rehearsal ? 'rehearse' : 'reconcile';
    const command = ['batchwright', verb, ...options.jobs].join(' ');
    const err = options.err ?? ((text: string) => process.stderr.write(text));
    if (ctx.readOnly !== null) err(`Planned as if it could act: ${ctx.readOnly}.\n`);
    const view = await showPlan(
      { ...ctx, only, readOnly: null },
      { ...options, command },
      await baseJobs(options.policyRoot ?? null, ctx),
    );
    if (options.comment != null)
      await writeFile(options.comment, await planComment(view, problemsOf(ctx.repository)));
    if (view.plan.rests.some(isDamage)) return EXIT.stateConflict;
    if (!isWhole) return EXIT.error;
    return options.detailedExitcode && view.plan.actions.length > 0 ? EXIT.changes : EXIT.ok;
  } finally {
    await session.close();
  }
}

/** The jobs as the base branch has them; null where none was named. */
async function baseJobs(root: string | null, ctx: PassContext): Promise<readonly LoadedJob[] | null> {
  return root === null ? null : (await loadRepository(root, { now: ctx.now() })).jobs;
}

function problemsOf(repository: Repository): string {
  const errors = repository.findings.filter((finding) => finding.level === 'error');
  return errors.length === 0 ? '' : findingsText(errors, { color: false });
}

/** Says what is wrong in files of the repository; true where nothing is. */
export function tellErrors(
  repository: Repository,
  err: (text: string) => void = (text) => process.stderr.write(text),
): boolean {
  const errors = repository.findings.filter((finding) => finding.level === 'error');
  if (errors.length === 0) return true;
  err(`${findingsText(errors, { color: process.stderr.isTTY === true })}\n`);
  return false;
}

export async function showPlan(
  ctx: PassContext,
  options: Pick<Common, 'json' | 'color' | 'out'> & { readonly command: string | null },
  base: readonly LoadedJob[] | null = null,
): Promise<PlanView> {
  const view = await viewPlan(ctx, options.command, base);
  options.out(
    options.json
      ? `${JSON.stringify(planJson(view), null, 2)}\n`
      : planTerminal(view, { color: options.color }),
  );
  return view;
}
