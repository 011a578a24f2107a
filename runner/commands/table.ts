import { columns, displayWidth, shortened } from '../report/columns.ts';
import { plain } from '../report/escape.ts';

/** Of a cell, in characters of a terminal. */
const MOST_WIDTH = 60;

/** Rows as aligned text for a terminal. Values are hostile: nothing in them may steer it. */
export function tableText(
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const cells = [names.map(short), ...rows.map((row) => names.map((name) => cellText(row[name])))];
  const widths = names.map((_, at) => Math.max(...cells.map((row) => displayWidth(row[at] ?? ''))));
  const [head = [], ...body] = cells;
  const rule = widths.map((width) => '-'.repeat(width));
  const lines = columns([head, rule, ...body]);
  return `${lines.join('\n')}\n(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})\n`;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return short(typeof value === 'string' ? value : JSON.stringify(value));
}

function short(text: string): string {
  return shortened(plain(text), MOST_WIDTH);
}
