import { plain } from './escape.ts';
import type { Paint } from './paint.ts';
import { medianSample } from './plan-sum.ts';
import type { BudgetLine, NewRunView } from './plan-view.ts';
import { ceiling, count, duration, many, usd } from './text.ts';

/** A rendered prompt beyond this is cut: it is shown to be recognised. */
const LINES = 10;
const LINE_LENGTH = 140;

/** One new run: what is sent, word for word, then data, size, time and money. */
export function newRunLines(run: NewRunView, paint: Paint): string[] {
  if (run.size.requests === 0) return [paint.bold(nothingSent(run)), ...setAsideLines(run, paint)];
  return [
    paint.bold(`${run.job}, run ${run.run}: what is sent to ${plain(run.model)}`),
    ...sampleLines(run, paint),
    `  ${paint.dim('data')}   ${dataText(run)}`,
    `  ${paint.dim('size')}   ${sizeText(run)}`,
    `  ${paint.dim('time')}   ${timeText(run)}`,
    `  ${paint.dim('money')}  ${moneyText(run)}`,
    ...setAsideLines(run, paint),
  ];
}

/** A prompt under it would look like something that is sent. */
function nothingSent({ job, run, size }: NewRunView): string {
  const reused = size.reused === 0 ? '' : `, ${many(size.reused, 'answer')} reused`;
  return `${job}, run ${run}: nothing is sent${reused}${goneText(size)}`;
}

function goneText({ gone }: NewRunView['size']): string {
  return gone.rows === 0 ? '' : `, ${many(gone.rows, 'row')} of ${count(gone.of)} gone from the input`;
}

function sampleLines(run: NewRunView, paint: Paint): string[] {
  const sample = medianSample(run);
  if (sample === null) return [];
  const { system, user } = sample.messages;
  return [
    paint.dim(`  ${plain(sample.key)} (${sampleTitle(run)})`),
    ...(system === null ? [] : messageLines('system', system, paint)),
    ...messageLines('user', user, paint),
  ];
}

/** Samples are drawn from all rows: which of them need no request is known only afterwards. */
function sampleTitle({ samples, size }: NewRunView): string {
  const title = samples.length === 3 ? 'the request of median length' : 'one request';
  if (size.reused === 0) return title;
  const reused = `${many(size.reused, 'row')} need${size.reused === 1 ? 's' : ''} no request`;
  return `${title}; ${reused}, and this may be one of them`;
}

function messageLines(role: string, text: string, paint: Paint): string[] {
  const lines = text.trimEnd().split(/\r?\n/);
  const shown = lines.slice(0, LINES).map((line) => `  ${paint.cyan('│')} ${plain(line, LINE_LENGTH)}`);
  const hidden = lines.length - shown.length;
  const more = hidden === 0 ? [] : [paint.dim(`  │ and ${many(hidden, 'more line')}`)];
  return [paint.dim(`  ${role}`), ...shown, ...more];
}

function dataText({ sends, holdsBack, account }: NewRunView): string {
  const sent = sends.length === 0 ? 'sends no column' : `sends ${names(sends)}`;
  const held = holdsBack.length === 0 ? '' : `; holds back ${names(holdsBack)}`;
  return `${sent}${held} · account ${plain(account)}`;
}

/** A table may have hundreds of columns. */
const NAMES = 12;

function names(columns: readonly string[]): string {
  const shown = columns.slice(0, NAMES).map((name) => plain(name, 40));
  const hidden = columns.length - shown.length;
  return hidden === 0 ? shown.join(', ') : `${shown.join(', ')} and ${count(hidden)} more`;
}

function sizeText({ samples, size, maxOutputTokens }: NewRunView): string {
  // Chosen by length, told by tokens: the two do not always go together.
  const [least, middle, most] = samples
    .map(({ inputTokens }) => inputTokens)
    .sort((a, b) => a - b)
    .map(count);
  const input =
    most === undefined
      ? many(size.estimate.inputTokens, 'input token')
      : `input ${least} to ${most} tokens, median ${middle}`;
  const output =
    maxOutputTokens === 0 ? 'no output is billed' : `output at most ${count(maxOutputTokens)} each`;
  return `${many(size.requests, 'request')} · ${input} · ${output}${goneText(size)}`;
}

function timeText({ canaryItems, shards, windowMs, deadlineMs }: NewRunView): string {
  const rest = many(shards, 'shard');
  const order =
    canaryItems === null
      ? rest
      : shards === 0
        ? `canary of ${count(canaryItems)}`
        : `canary of ${count(canaryItems)}, then ${rest}`;
  return `${order} · each batch ends within ${duration(windowMs)} · deadline ${duration(deadlineMs)}`;
}

function moneyText({ size, budgets, emulator }: NewRunView): string {
  const { usd: estimate, ceilingUsd, pricesOf } = size.estimate;
  const prices = pricesOf === null ? '' : ` (prices of ${pricesOf})`;
  const head = `est. ${usd(estimate)}, at most ${usd(ceilingUsd)}${prices}`;
  if (emulator) return `${head} · emulator: not spend`;
  return [head, ...budgets.filter(({ ofUsd }) => ofUsd !== null).map(budgetText)].join(' · ');
}

/** `owner month $184.22 → $211.33 of $500` */
function budgetText({ scope, usedUsd, afterUsd, ofUsd }: BudgetLine): string {
  const of = ofUsd === null ? '' : ` of ${ceiling(ofUsd)}`;
  return scope === 'run'
    ? `run limit${of.replace(' of', '')}`
    : `${scope} ${usd(usedUsd)} → ${usd(afterUsd)}${of}`;
}

function setAsideLines({ problems, size }: NewRunView, paint: Paint): string[] {
  if (size.setAside === 0) return [];
  const codes = Object.entries(problems)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([code, rows]) => `${plain(code)} ${count(rows)}`);
  return [
    `  ${paint.yellow('bad')}    ${many(size.setAside, 'row')} set aside, not sent: ${codes.join(', ')}`,
  ];
}
