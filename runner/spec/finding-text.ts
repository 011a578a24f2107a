import type { Finding } from '../errors.ts';

/** Colours of a terminal, as picocolors gives them; without colour every function returns its text. */
export interface Palette {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

export const PLAIN: Palette = { red: same, yellow: same, dim: same, bold: same };

function same(text: string): string {
  return text;
}

/**
 * A finding as people read it: place, level and code, the message, the source line with a caret under it, the hint.
 * Ends without a line feed. Control characters of the source are shown as `·`: a file must not steer a terminal.
 *
 * ```
 * jobs/tickets.yaml:6:1 error[unknown-field] `modle` is not a field of a job.
 *   6 | modle: openai/gpt-5.4-mini
 *     | ^^^^^ Did you mean `model`?
 * ```
 */
export function findingText(finding: Finding, palette: Palette = PLAIN): string {
  const { level, code, message, hint, lines = [] } = finding;
  const paint = level === 'error' ? palette.red : palette.yellow;
  const first = `${palette.bold(placeOf(finding))}${paint(`${level}[${code}]`)} ${clean(message)}`;
  const head = [first, ...lines.map((line) => `  ${clean(line)}`)].join('\n');
  if (finding.source === undefined || finding.line === undefined) {
    return hint === undefined ? head : `${head}\n  ${clean(hint)}`;
  }
  return [head, ...excerpt(finding, palette, paint)].join('\n');
}

/** `3 errors and 1 warning` */
export function countText(findings: readonly Finding[]): string {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const counts = [plural(errors, 'error'), plural(findings.length - errors, 'warning')];
  return counts.filter((text) => !text.startsWith('0 ')).join(' and ') || 'no findings';
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function placeOf({ file, line, column }: Finding): string {
  if (file === undefined) return '';
  return line === undefined ? `${clean(file)} ` : `${clean(file)}:${line}:${column ?? 1} `;
}

/** Longer lines are cut around the caret: a SELECT in one line would hide it. */
const WIDTH = 120;

function excerpt(finding: Finding, palette: Palette, paint: (text: string) => string): string[] {
  const { source = '', line = 1, column = 1, length = 1, hint } = finding;
  const from = column - 1 + Math.min(length, 20) > WIDTH ? column - 1 - 40 : 0;
  const shown = source.slice(from, from + WIDTH);
  const [head, tail] = [from > 0 ? '…' : '', source.length > from + WIDTH ? '…' : ''];
  const before = clean(head + shown.slice(0, column - 1 - from));
  const caret = '^'.repeat(Math.max(1, Math.min(length, shown.length - (column - 1 - from))));
  const number = String(line).padStart(3);
  const gutter = palette.dim(`${number} |`);
  const told = hint === undefined ? '' : ` ${clean(hint)}`;
  return [
    `${gutter} ${clean(head + shown + tail)}`,
    `${palette.dim(`${' '.repeat(number.length)} |`)} ${blank(before)}${paint(`${caret}`)}${told}`,
  ];
}

/** As many columns of blanks as a terminal uses for the text: Chinese, Japanese and Korean take two a character. */
function blank(text: string): string {
  return [...text].map((character) => (WIDE.test(character) ? '  ' : ' ')).join('');
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

/** A tab counts as one blank, so that the caret stays under its text. */
function clean(text: string): string {
  return text.replaceAll('\t', ' ').replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '·');
}
