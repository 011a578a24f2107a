import { type Markdown, md } from './escape.ts';
import type { Figure } from './text.ts';

export type Cell = Markdown | Figure | '';

/** A column's head; figures stand to the right. */
export interface Head {
  readonly text: Markdown;
  readonly right: boolean;
}

type Values = readonly (Markdown | Figure)[];

/** A column of words: left`job` */
export function left(texts: TemplateStringsArray, ...values: Values): Head {
  return { text: md(texts, ...values), right: false };
}

/** A column of figures: right`rows` */
export function right(texts: TemplateStringsArray, ...values: Values): Head {
  return { text: md(texts, ...values), right: true };
}

/** A Markdown table. Every cell is Markdown that holds no bare pipe, so each line has as many cells as the head. */
export function table(heads: readonly Head[], rows: readonly (readonly Cell[])[]): Markdown {
  const lines = [
    line(heads.map(({ text }) => text)),
    `|${heads.map((head) => (head.right ? '--:' : '---')).join('|')}|`,
    ...rows.map(line),
  ];
  return lines.join('\n') as Markdown;
}

/** The same without the columns that hold nothing in any row. */
export function tableOfKnown(heads: readonly Head[], rows: readonly (readonly Cell[])[]): Markdown {
  const kept = heads.map((_, at) => rows.some((row) => row[at] !== ''));
  const keep = <Value>(values: readonly Value[]) => values.filter((_, at) => kept[at]);
  return table(keep(heads), rows.map(keep));
}

function line(cells: readonly Cell[]): string {
  return `| ${cells.join(' | ')} |`;
}
