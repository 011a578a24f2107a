import type { Rest } from '../plan/action.ts';
import { code, joined, type Markdown, md, prose, words } from './escape.ts';
import { fenced, inSummary } from './fence.ts';
import { actionName, actionReason } from './plan-actions.ts';
import { runDetails } from './plan-run-markdown.ts';
import { blockedRests, carriedOut, planLine, planSum } from './plan-sum.ts';
import type { BudgetLine, NewRunView, PlanView } from './plan-view.ts';
import { type Cell, left, right, table } from './table.ts';
import { ceiling, count, type Figure, many, usd } from './text.ts';

/**
 * The plan for a reviewer: cost and blocks first, then what each job would do and why, then word for word what is sent.
 * In pieces, most important first, so that a comment that has no room for all leaves the last ones out.
 */
export async function planSections(view: PlanView): Promise<Markdown[]> {
  const details = await Promise.all(view.newRuns.map(runDetails));
  return [
    md`### ${planLine(planSum(view)) as Figure}`,
    ...brokenSection(view),
    ...blockedSection(blockedRests(view)),
    ...approvalSection(view),
    ...actionSection(view),
    ...details,
    ...restSection(view.plan.rests),
    footer(view),
  ];
}

function brokenSection({ broken }: PlanView): Markdown[] {
  if (broken.length === 0) return [];
  const lines = broken.map(({ file, message }) => md`- ${code(file, 200)}: ${prose(message, 300)}`);
  return [md`**Not planned**\n\n${joined(lines, '\n')}`];
}

function blockedSection(rests: readonly Rest[]): Markdown[] {
  if (rests.length === 0) return [];
  const lines = rests.map((rest) => {
    const next = rest.next === null ? md`` : md`\n  → ${prose(rest.next, 300)}`;
    return md`- ${code(rest.job)} (${words(rest.reason)}): ${prose(rest.message, 400)}${next}`;
  });
  return [md`**Blocked**\n\n${joined(lines, '\n')}`];
}

/** What a person would have to say, ready to be committed. */
function approvalSection({ toApprove = [] }: PlanView): Markdown[] {
  return toApprove.map(({ job, text }) => {
    const summary = md`To approve: add approvals/${inSummary(job)}.yaml to this branch`;
    return md`<details><summary>${summary}</summary>\n\n${fenced('yaml', text.trimEnd().split('\n'))}\n\n</details>`;
  });
}

function actionSection(view: PlanView): Markdown[] {
  const rows = [
    ...carriedOut(view).map((action): Cell[] => {
      const run = action.kind === 'new_run' ? view.newRuns.find(({ job }) => job === action.job) : undefined;
      const send = action.kind === 'submit' ? view.sends.find(({ job }) => job === action.job) : undefined;
      return [
        code(action.job),
        words(actionName(action), 80),
        prose(actionReason(action), 160),
        requestsOf(run?.size.requests ?? send?.requests),
        moneyOf(
          run?.size.estimate.usd ?? send?.estimateUsd,
          run?.size.estimate.ceilingUsd ?? send?.ceilingUsd,
        ),
        ownerOf(run),
      ];
    }),
    ...view.inPlace.map(({ job, change }): Cell[] => [
      code(job),
      md`in place`,
      words(change, 160),
      '0' as Figure,
      '$0' as Figure,
      '',
    ]),
  ];
  if (rows.length === 0) return [];
  const heads = [
    left`job`,
    left`action`,
    left`because`,
    right`requests`,
    left`est. → at most`,
    left`owner: month → after, of`,
  ];
  return [table(heads, rows)];
}

function requestsOf(requests: number | undefined): Cell {
  return requests === undefined ? ('0' as Figure) : count(requests);
}

function moneyOf(estimate: number | null | undefined, most: number | null | undefined): Cell {
  if (estimate === undefined) return '$0' as Figure;
  return md`${usd(estimate)} → ${usd(most ?? null)}`;
}

function ownerOf(run: NewRunView | undefined): Cell {
  const month = run?.budgets.find(({ scope }) => scope === 'owner month');
  return run === undefined || month === undefined ? '' : md`${words(run.owner, 60)} ${budget(month)}`;
}

function budget({ usedUsd, afterUsd, ofUsd }: BudgetLine): Markdown {
  const of = ofUsd === null ? md`` : md` of ${ceiling(ofUsd)}`;
  return md`${usd(usedUsd)} → ${usd(afterUsd)}${of}`;
}

/** Jobs that a pass would leave alone, those without a change counted. */
function restSection(rests: readonly Rest[]): Markdown[] {
  const quiet = rests.filter(({ kind }) => kind === 'idle').length;
  const others = rests.filter(({ kind }) => kind !== 'blocked' && kind !== 'idle');
  const lines = others.map((rest) => md`- ${code(rest.job)}: ${prose(rest.message, 200)}`);
  const still = quiet === 0 ? [] : [md`- ${many(quiet, 'job')} without a change`];
  const all = [...lines, ...still];
  if (all.length === 0) return [];
  return [
    md`<details><summary>${many(rests.length - blockedCount(rests), 'job')} left alone</summary>\n\n${joined(all, '\n')}\n\n</details>`,
  ];
}

function blockedCount(rests: readonly Rest[]): number {
  return rests.filter(({ kind }) => kind === 'blocked').length;
}

/** By this two plans are compared: the commit, the state that they were made on, and a digest of what they would do. */
function footer({ stamp, newRuns, version }: PlanView): Markdown {
  const prices = newRuns.map(({ size }) => size.estimate.pricesOf).find((day) => day !== null);
  const parts = [
    md`commit ${code(stamp.commit?.slice(0, 7) ?? 'none')}${(stamp.dirty ? ' with changes' : '') as Figure}`,
    md`journal ${count(stamp.journalSeq)}`,
    ...(stamp.digest === null ? [] : [md`plan ${code(stamp.digest.slice(0, 8))}`]),
    ...(prices === undefined ? [] : [md`prices ${words(prices, 20)}`]),
    ...(version === undefined ? [] : [md`v${words(version, 20)}`]),
  ];
  return md`<sub>${joined(parts, ' · ')}</sub>`;
}
