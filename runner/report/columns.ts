import { stripVTControlCharacters } from 'node:util';

/** A column of terminal text: figures stand to the right. */
export type Align = 'left' | 'right';

/** Rows as aligned columns, two blanks between; the last column is not padded, so that no line ends in blanks. */
export function columns(rows: readonly (readonly string[])[], aligns: readonly Align[] = []): string[] {
  const widths = widthsOf(rows);
  return rows.map((row) =>
    row
      .map((cell, at) =>
        padded(cell, at === row.length - 1 ? 0 : (widths[at] ?? 0), aligns[at] ?? 'left', widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
    });
  }
  return widths;
}

function padded(cell: string, width: number, align: Align, full: number): string {
  if (align === 'right') return `${' '.repeat(Math.max(0, full - displayWidth(cell)))}${cell}`;
  return `${cell}${' '.repeat(Math.max(0, width - displayWidth(cell)))}`;
}

/**
 * Cells that a terminal gives to a text, colours aside: two for East Asian wide characters and emoji, none for marks
 * that stand on their neighbour. An emoji of several characters (a flag, a family, one with a skin tone) is one.
 * Close enough to align a table; terminals differ in the rest.
 */
export function displayWidth(text: string): number {
  const shown = stripVTControlCharacters(text);
  if (ONE_CELL_EACH.test(shown)) return shown.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(shown)) width += graphemeWidth(segment);
  return width;
}

/** Most texts: counted without looking for graphemes. */
const ONE_CELL_EACH = /^[ -~]*$/;
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (NO_WIDTH.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

const EMOJI = /^\p{RGI_Emoji}$/v;
/** Marks, format characters (joiners, directions), and the later parts of a Korean syllable. */
const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}|[\u1160-\u11ff]/u;
/** Unicode's East Asian Width W and F, in ranges: reserved places in between count as wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Cut to a terminal's width between graphemes, with an ellipsis for what is missing. For text without colours. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    const next = graphemeWidth(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}
