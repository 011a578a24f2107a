import type { Action, Rest } from '../plan/action.ts';
import { columns } from './columns.ts';
import { plain, sentences } from './escape.ts';
import { type Paint, painter } from './paint.ts';
import { actionName, actionReason } from './plan-actions.ts';
import { newRunLines } from './plan-run-terminal.ts';
import { blockedRests, carriedOut, isEmpty, planLine, planSum } from './plan-sum.ts';
import type { PlanStamp, PlanView } from './plan-view.ts';
import { count, many, usd } from './text.ts';

/** New runs shown in full; `plan JOB` shows any other. */
const SHOWN_RUNS = 3;

/** What a pass would do, for a person who is about to say yes: cost and blocks first, then what would be sent. */
export function planTerminal(view: PlanView, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const broken = brokenLines(view, paint);
  if (isEmpty(view)) return text([nothingLines(view, paint), broken, [stampLine(view.stamp, paint)]]);
  const shown = view.newRuns.slice(0, SHOWN_RUNS);
  return text([
    [paint.bold(planLine(planSum(view)))],
    broken,
    blockedLines(blockedRests(view), paint),
    actionLines(view, paint),
    ...shown.map((run) => newRunLines(run, paint)),
    moreRuns(view.newRuns.length - shown.length, paint),
    restLines(view.plan.rests, paint),
    commandLines(view, paint),
    [stampLine(view.stamp, paint)],
  ]);
}

function text(sections: readonly (readonly string[])[]): string {
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}

function nothingLines({ plan, broken }: PlanView, paint: Paint): string[] {
  if (plan.rests.length === 0) {
    return [
      paint.bold(broken.length === 0 ? 'Nothing to do: there are no jobs.' : 'Nothing can be planned.'),
    ];
  }
  const rows = plan.rests.map((rest) => [
    `  ${rest.job}`,
    restWord(rest),
    plain(sentences(rest.message), 160),
  ]);
  return [paint.bold('Nothing to do.'), ...columns(rows)];
}

/** Where the mistakes are told in full, these lines only say what the plan does not hold. */
function brokenLines({ broken }: PlanView, paint: Paint): string[] {
  return broken.map(
    ({ file, message }) => `${paint.red('Not planned')} ${plain(file, 200)}: ${plain(message, 300)}`,
  );
}

function blockedLines(rests: readonly Rest[], paint: Paint): string[] {
  return rests.flatMap((rest) => [
    `${paint.red('Blocked')} ${paint.bold(rest.job)} (${plain(rest.reason)})`,
    ...rest.message.split('\n').map((line) => `  ${plain(line, 300)}`),
    ...(rest.next === null ? [] : [`  → ${plain(rest.next, 300)}`]),
  ]);
}

function actionLines(view: PlanView, paint: Paint): string[] {
  const rows = [
    ...carriedOut(view).map((action) => actionCells(action, view)),
    ...view.inPlace.map(({ job, change }) => [job, 'in place', plain(change, 120), '0', '$0']),
  ];
  if (rows.length === 0) return [];
  const heads = ['job', 'action', 'because', 'requests', 'est. → at most'];
  const [head = '', ...lines] = columns([heads, ...rows], ['left', 'left', 'left', 'right', 'left']);
  return [paint.dim(head), ...lines];
}

function actionCells(action: Action, view: PlanView): string[] {
  const name = plain(actionName(action), 100);
  const reason = plain(actionReason(action), 120);
  return [action.job, name, reason, ...amountCells(action, view)];
}

function amountCells(action: Action, view: PlanView): string[] {
  if (action.kind === 'new_run') {
    const size = view.newRuns.find((run) => run.job === action.job)?.size;
    if (size === undefined) return ['', ''];
    return [count(size.requests), `${usd(size.estimate.usd)} → ${usd(size.estimate.ceilingUsd)}`];
  }
  if (action.kind !== 'submit') return ['0', '$0'];
  const send = view.sends.find((each) => each.job === action.job);
  const money = send === undefined ? '' : `${usd(send.estimateUsd)} → ${usd(send.ceilingUsd)}`;
  return [count(action.items), money];
}

function moreRuns(hidden: number, paint: Paint): string[] {
  if (hidden <= 0) return [];
  return [paint.dim(`and ${many(hidden, 'more new run')}: batchwright plan JOB shows one in full`)];
}

/** Jobs that a pass leaves as they are, idle ones counted. */
function restLines(rests: readonly Rest[], paint: Paint): string[] {
  const quiet = rests.filter(({ kind }) => kind === 'idle').length;
  const rows = rests
    .filter(({ kind }) => kind !== 'blocked' && kind !== 'idle')
    .map((rest) => [`  ${rest.job}`, restWord(rest), plain(sentences(rest.message), 160)]);
  return [...columns(rows), ...(quiet === 0 ? [] : [paint.dim(`${many(quiet, 'job')} without a change`)])];
}

function restWord({ kind }: Rest): string {
  switch (kind) {
    case 'idle':
      return 'done';
    case 'in_flight':
      return 'in flight';
    case 'blocked':
    case 'suspended':
    case 'waiting':
      return kind;
    default:
      return kind satisfies never;
  }
}

function commandLines(view: PlanView, paint: Paint): string[] {
  if (carriedOut(view).length === 0 || view.command === null) return [];
  return [`To carry it out: ${paint.cyan(plain(view.command, 300))}`];
}

function stampLine({ commit, dirty, journalSeq, digest }: PlanStamp, paint: Paint): string {
  const parts = [
    commit === null ? 'no commit' : `commit ${plain(commit).slice(0, 10)}`,
    ...(dirty ? ['with changes that no commit holds'] : []),
    `journal ${count(journalSeq)}`,
    ...(digest === null ? [] : [`plan ${digest.slice(0, 8)}`]),
  ];
  return paint.dim(parts.join(' · '));
}
