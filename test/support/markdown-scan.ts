/** The text of a page outside its code spans, read as CommonMark reads them: what a renderer would act on. */
export function outsideCode(page: string): string {
  return page.split('\n').map(lineOutsideCode).join('\n');
}

function lineOutsideCode(line: string): string {
  let rest = line;
  let kept = '';
  for (;;) {
    const open = /(?<!\\)`+/.exec(rest);
    if (open === null) return kept + rest;
    const fence = open[0];
    const after = rest.slice(open.index + fence.length);
    const close = closing(after, fence.length);
    kept += rest.slice(0, open.index);
    if (close === null) {
      kept += fence;
      rest = after;
    } else {
      kept += '▯';
      rest = after.slice(close + fence.length);
    }
  }
}

/** Where the next run of exactly so many backticks begins. */
function closing(text: string, length: number): number | null {
  for (const run of text.matchAll(/`+/g)) if (run[0].length === length) return run.index;
  return null;
}

/** How many cells a table line has for a reader that counts backslashes in pairs, and for one that does not. */
export function cellCounts(line: string): readonly [paired: number, single: number] {
  let paired = 0;
  let single = 0;
  let run = 0;
  for (const character of line) {
    if (character === '|') {
      if (run % 2 === 0) paired += 1;
      if (run === 0) single += 1;
    }
    run = character === '\\' ? run + 1 : 0;
  }
  return [paired - 1, single - 1];
}

/** Each table of a page as its lines. */
export function tablesOf(page: string): string[][] {
  return page
    .split('\n\n')
    .map((part) => part.split('\n').filter((line) => line.startsWith('|')))
    .filter((lines) => lines.length > 0);
}
