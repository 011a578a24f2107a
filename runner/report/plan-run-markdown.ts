import type { Messages } from '../manifest/manifest.ts';
import { code, joined, type Markdown, md, words } from './escape.ts';
import { fenced, inSummary } from './fence.ts';
import { medianSample } from './plan-sum.ts';
import type { NewRunView } from './plan-view.ts';
import { ceiling, count, duration, many, usd } from './text.ts';
import { type DiffLine, hunks, textDiff } from './text-diff.ts';

/** One new run in a folded section: what is sent, beside what the last run sent, then data, size, time and money. */
export async function runDetails(run: NewRunView): Promise<Markdown> {
  const parts = [
    ...(await sentParts(run)),
    lines([
      dataLine(run),
      sizeLine(run),
      timeLine(run),
      moneyLine(run),
      beforeLine(run),
      ...setAsideLines(run),
    ]),
  ];
  const what = run.size.requests === 0 ? md`nothing is sent` : md`what is sent`;
  const summary = md`${inSummary(run.job)}, run ${count(run.run)}: ${what}`;
  return md`<details><summary>${summary}</summary>\n\n${joined(parts, '\n\n')}\n\n</details>`;
}

function lines(texts: readonly (Markdown | null)[]): Markdown {
  return joined(
    texts.filter((text) => text !== null),
    '\\\n',
  );
}

/** The median row first; the shortest and the longest only where a difference can be shown. */
async function sentParts(run: NewRunView): Promise<Markdown[]> {
  if (run.size.requests === 0) return [];
  const median = medianSample(run);
  const before = run.before?.sent ?? {};
  const compared = run.samples.filter(({ key }) => before[key] !== undefined);
  const rows = compared.length > 0 ? compared : median === null ? [] : [median];
  return Promise.all(
    rows.map(async ({ key, messages }) => {
      const earlier = before[key];
      const body = earlier === undefined ? shown(messages) : await changed(earlier, messages);
      const title =
        earlier === undefined
          ? md`row ${code(key)}`
          : md`row ${code(key)}, against run ${count(run.before?.run ?? 0)}`;
      return md`${title}\n\n${body}`;
    }),
  );
}

/** A prompt is shown to be recognised, and a difference to be judged. */
const MOST_LINES = 30;

function shown(messages: Messages): Markdown {
  return fenced('text', textOf(messages).split('\n').slice(0, MOST_LINES));
}

async function changed(before: Messages, after: Messages): Promise<Markdown> {
  const diff = await textDiff(textOf(before), textOf(after));
  if (diff.every(({ kind }) => kind === 'same')) return md`the words are the same`;
  return fenced('diff', hunks(diff).slice(0, MOST_LINES).map(diffText));
}

function textOf({ system, user }: Messages): string {
  return system === null ? user.trimEnd() : `${system.trimEnd()}\n\n${user.trimEnd()}`;
}

const SIGNS = { same: ' ', gone: '-', new: '+' } as const;

function diffText(line: DiffLine | null): string {
  return line === null ? ' …' : `${SIGNS[line.kind]}${line.text}`;
}

function dataLine({ sends, holdsBack, account, model }: NewRunView): Markdown {
  const sent = sends.length === 0 ? md`sends no column` : md`sends ${names(sends)}`;
  const held = holdsBack.length === 0 ? md`` : md`; holds back ${names(holdsBack)}`;
  return md`**Data** ${sent}${held} · model ${code(model)} · account ${code(account)}`;
}

/** A table may have hundreds of columns. */
const NAMES = 12;

function names(columns: readonly string[]): Markdown {
  const some = joined(
    columns.slice(0, NAMES).map((name) => code(name, 40)),
    ', ',
  );
  const hidden = columns.length - NAMES;
  return hidden <= 0 ? some : md`${some} and ${count(hidden)} more`;
}

function sizeLine({ samples, size, maxOutputTokens }: NewRunView): Markdown {
  const [least, middle, most] = samples
    .map(({ inputTokens }) => inputTokens)
    .sort((a, b) => a - b)
    .map(count);
  const input =
    least === undefined || middle === undefined || most === undefined
      ? many(size.estimate.inputTokens, 'input token')
      : md`input ${least} to ${most} tokens, median ${middle}`;
  const output =
    maxOutputTokens === 0 ? md`no output is billed` : md`output at most ${count(maxOutputTokens)} each`;
  return md`**Size** ${many(size.requests, 'request')}, ${count(size.reused)} reused · ${input} · ${output}`;
}

function timeLine({ canaryItems, shards, windowMs, deadlineMs }: NewRunView): Markdown {
  const rest = many(shards, 'shard');
  const order = canaryItems === null ? md`${rest}` : md`canary of ${count(canaryItems)}, then ${rest}`;
  return md`**Time** ${order} · each batch ends within ${duration(windowMs)} · deadline ${duration(deadlineMs)}`;
}

function moneyLine({ size, budgets, emulator }: NewRunView): Markdown {
  const { usd: estimate, ceilingUsd, pricesOf } = size.estimate;
  const prices = pricesOf === null ? md`` : md` (prices of ${words(pricesOf, 20)})`;
  const limits = budgets.flatMap(({ scope, ofUsd, usedUsd, afterUsd }) =>
    ofUsd === null
      ? []
      : [md` · ${words(scope, 40)} ${usd(usedUsd)} → ${usd(afterUsd)} of ${ceiling(ofUsd)}`],
  );
  const whose = emulator ? md` · emulator: not spend` : joined(limits, '');
  return md`**Money** est. ${usd(estimate)}, at most ${usd(ceilingUsd)}${prices}${whose}`;
}

/** What was paid already, and what of it is under way and goes on. */
function beforeLine({ before }: NewRunView): Markdown | null {
  if (before === null) return null;
  const flight =
    before.inFlight === 0
      ? md`none in flight`
      : md`${many(before.inFlight, 'request')} in flight (at most ${usd(before.reservedUsd)} more), which are collected and serve this run`;
  return md`**Already spent** run ${count(before.run)}: ${usd(before.spentUsd)}; ${flight}; its answers stay until those of this run replace them`;
}

function setAsideLines({ problems, size }: NewRunView): Markdown[] {
  if (size.setAside === 0) return [];
  const codes = Object.entries(problems)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([name, rows]) => md`${code(name)} ${count(rows)}`);
  return [md`**Bad rows** ${many(size.setAside, 'row')} set aside, not sent: ${joined(codes, ', ')}`];
}
