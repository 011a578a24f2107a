import { plain } from '../report/escape.ts';

const MOST_WIDTH = 60;

/** Rows as aligned text for a terminal. Values are hostile: nothing in them may steer it. */
export function tableText(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const cells = [
    columns.map((column) => plain(column, MOST_WIDTH)),
    ...rows.map((row) => columns.map((column) => cellText(row[column]))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const [head, ...body] = cells.map(line);
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return `${[head, rule, ...body].join('\n')}\n(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})\n`;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return plain(typeof value === 'string' ? value : JSON.stringify(value), MOST_WIDTH);
}
