import { epochMs } from '../ids.ts';
import { link, type Markdown, md, prose } from './escape.ts';
import type { JobReport, PastRun } from './report.ts';
import { inSinks } from './summary.ts';
import { type Cell, left, right, table } from './table.ts';
import { count, date, duration, usd } from './text.ts';

/** The ten runs before this one, newest first. */
export function historySection({ history }: JobReport): Markdown | null {
  if (history.length === 0) return null;
  const heads = [
    right`run`,
    left`frozen`,
    left`because`,
    right`rows`,
    right`applied`,
    right`not applied`,
    right`took`,
    right`USD`,
  ];
  return md`## Earlier runs\n\n${table(heads, history.map(cells))}`;
}

function cells(past: PastRun): Cell[] {
  const applied = inSinks(past.dispositions);
  return [
    link(count(past.run), `runs/${past.run}/report.md`),
    date(past.frozenAt),
    prose(past.reason, 120),
    count(past.items),
    count(applied),
    count(past.items - applied),
    past.appliedAt ? duration(epochMs(past.appliedAt) - epochMs(past.frozenAt)) : '',
    usd(past.settledUsd),
  ];
}
