import { advice, code, joined, type Markdown, md, prose } from './escape.ts';
import type { JobReport, Need, RunReport, Wait } from './report.ts';
import { left, right, table } from './table.ts';
import { count, dateTime, type Figure, many } from './text.ts';

/** Keys are shown to be recognised; held.csv has them whole. */
const KEY_LENGTH = 32;

/** Rows that no pass will mend, most first, each with what a person can do. */
export function needsSection(run: RunReport): Markdown | null {
  if (run.needs.length === 0) return null;
  const heads = [right`rows`, left`class`, left`top cause`, left`examples`, left`next step`];
  return md`## Needs a person\n\n${table(heads, run.needs.map(needCells))}`;
}

function needCells(need: Need): Markdown[] {
  return [
    md`${count(need.rows)}`,
    md`${need.class as string as Figure}`,
    cause(need),
    examples(need),
    prose(need.next),
  ];
}

function cause(need: Need): Markdown {
  const text = prose(need.cause, 160);
  return need.causeRows === need.rows ? text : md`${text} (${count(need.causeRows)})`;
}

function examples(need: Need): Markdown {
  const keys = joined(
    need.examples.map((key) => code(key, KEY_LENGTH)),
    ' ',
  );
  return need.examples.length < need.rows ? md`${keys} …` : keys;
}

/** What is not done yet, and what each of it waits for. */
export function waitsSection({ waits }: JobReport): Markdown | null {
  if (waits.length === 0) return null;
  const heads = [left`what`, left`waits for`, left`until (UTC)`, left`what you can do`];
  const shown = waits.slice(0, WAITS);
  const rest = waits.length - shown.length;
  const more = rest === 0 ? md`` : md`\n\nand ${many(rest, 'more such wait')}`;
  return md`## What waits for what\n\n${table(heads, shown.map(waitCells))}${more}`;
}

const WAITS = 12;

function waitCells(wait: Wait): (Markdown | Figure | '')[] {
  return [
    prose(wait.what, 120),
    prose(wait.waitsFor, 200),
    wait.until === null ? '' : dateTime(wait.until),
    wait.command === null ? md`nothing: it goes on by itself` : advice(wait.command),
  ];
}
