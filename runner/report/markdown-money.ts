import { joined, type Markdown, md, words } from './escape.ts';
import type { JobReport, Money, RunReport } from './report.ts';
import { type Cell, left, right, table } from './table.ts';
import { ceiling, deviation, type Figure, many, tokens, usd } from './text.ts';

/** Estimated, settled, and what the same work costs without a batch; then what became of the money. */
export function moneySection(report: JobReport, run: RunReport): Markdown {
  const heads = [left``, right`input tokens`, right`output tokens`, right`USD`];
  const body = table(heads, moneyRows(run.money));
  return md`## ${title(run)}\n\n${body}\n\n${joined(remarks(report, run), ' · ')}`;
}

function title({ money, emulator }: RunReport): Markdown {
  const prices =
    money.estimate.pricesOf === null ? md`price unknown` : md`prices of ${money.estimate.pricesOf as Figure}`;
  return emulator ? md`Money that a real run would cost (${prices})` : md`Money (${prices})`;
}

function moneyRows(money: Money): Cell[][] {
  const { estimate } = money;
  const most = estimate.ceilingUsd === null ? md`` : md` (at most ${usd(estimate.ceilingUsd)})`;
  return [
    [
      md`estimated`,
      tokens(estimate.inputTokens),
      md`${tokens(estimate.outputTokens)} (cap ${tokens(estimate.outputTokensCap)})`,
      md`${usd(estimate.usd)}${most}`,
    ],
    ...(money.reservedUsd === 0 ? [] : [[md`reserved`, '', '', usd(money.reservedUsd)] as Cell[]]),
    [
      md`settled`,
      settled(money.settledInputTokens, estimate.inputTokens, money),
      settled(money.settledOutputTokens, estimate.outputTokens, money),
      usd(money.settledUsd),
    ],
    ...(money.assumedUsd === 0 ? [] : [[md`assumed`, '', '', usd(money.assumedUsd)] as Cell[]]),
    [md`synchronous`, '', '', synchronous(money)],
  ];
}

/** How far the estimate was off, once everything is settled; before that the difference says nothing. */
function settled(actual: number, expected: number, money: Money): Markdown {
  if (actual === 0 || money.reservedUsd !== 0) return md`${tokens(actual)}`;
  return md`${tokens(actual)} (${deviation(actual, expected)})`;
}

function synchronous({ synchronousUsd, settledUsd }: Money): Markdown {
  if (synchronousUsd === null || settledUsd === null) return md`${usd(synchronousUsd)}`;
  return md`${usd(synchronousUsd)}, saved ${usd(synchronousUsd - settledUsd)}`;
}

function remarks(report: JobReport, { money, emulator }: RunReport): Markdown[] {
  const { perThousandAppliedUsd: perThousand, wastedUsd, cachedTokens, unknownCost } = money;
  const { duplicateUsd = 0 } = money;
  return [
    ...(perThousand === null ? [] : [md`${usd(perThousand)} per 1,000 applied`]),
    ...(wastedUsd === null || wastedUsd === 0 ? [] : [md`${usd(wastedUsd)} on rows not applied`]),
    ...(duplicateUsd === null || duplicateUsd === 0
      ? []
      : [md`of that ${usd(duplicateUsd)} for rows that two batches answered`]),
    ...(cachedTokens === 0 ? [] : [md`${tokens(cachedTokens)} input tokens from the provider's cache`]),
    ...(unknownCost === 0
      ? []
      : [md`**cost of ${many(unknownCost, 'attempt')} unknown**, counted at its limit`]),
    emulator ? md`counts toward no budget` : owner(report.owner, money.owner),
  ];
}

function owner(name: string, { monthUsd, ofUsd }: Money['owner']): Markdown {
  const spent = md`owner ${words(name)} this month ${usd(monthUsd)}`;
  return ofUsd === null ? spent : md`${spent} of ${ceiling(ofUsd)}`;
}
