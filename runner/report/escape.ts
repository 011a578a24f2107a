import type { Figure } from './text.ts';

declare const markdown: unique symbol;
/** Markdown that is safe to join. Only the functions of this file make it: hostile text cannot get in by mistake. */
export type Markdown = string & { readonly [markdown]: true };

/** Keys, names and causes are cut here: a report is for recognising a row, the files hold it whole. */
const CUT = 60;

/** Markdown written by us, with values that are already safe. */
export function md(texts: TemplateStringsArray, ...values: readonly (Markdown | Figure)[]): Markdown {
  return String.raw({ raw: texts }, ...values) as Markdown;
}

export function joined(parts: readonly (Markdown | Figure)[], between: string): Markdown {
  return parts.join(between) as Markdown;
}

/**
 * Any text as a code span: no renderer looks for markup, links, images, mentions or issue numbers inside one.
 * Fits a table cell. Control and direction characters stand visibly, since they would lie about what is there.
 */
export function code(text: string, length = CUT): Markdown {
  const visible = cut(oneLine(text), length);
  if (visible.trim() === '') return 'empty' as Markdown;
  const fence = '`'.repeat(longestRun(visible) + 1);
  const pad = /^[` ]|[` ]$/.test(visible) ? ' ' : '';
  return `${fence}${pad}${pipesEscaped(visible)}${pad}${fence}` as Markdown;
}

/**
 * Any text as plain words, or as a code span where it holds something that a renderer acts on even behind a
 * backslash. Names and sentences of ours or of a job's author come here; `@everyone <img>` must not act either.
 */
export function words(text: string, length = 200): Markdown {
  const line = cut(oneLine(text).trim(), length);
  if (line === '') return '–' as Markdown;
  if (ACTIVE.test(line)) return code(text, length);
  return backslashed(line) as Markdown;
}

/**
 * The same for sentences that quote commands or fields in backticks: those stand as code, the rest as words.
 * Several lines are several sentences.
 */
export function prose(text: string, length = 400): Markdown {
  const pieces = cut(oneLine(sentences(text)).trim(), length).split('`');
  // An odd number of backticks quotes nothing.
  if (pieces.length % 2 === 0) return words(sentences(text), length);
  return pieces
    .map((piece, at) => (at % 2 === 1 ? code(piece, length) : around(piece, length)))
    .join('') as Markdown;
}

/** Blanks round a piece belong to the sentence: a code span beside it must not swallow them. */
function around(piece: string, length: number): string {
  const inner = piece.trim();
  if (inner === '') return piece;
  const at = piece.indexOf(inner);
  return `${piece.slice(0, at)}${words(inner, length)}${piece.slice(at + inner.length)}`;
}

/** A link to a file beside the report. The path is ours: job names and numbers. */
export function link(text: Markdown | Figure, path: string): Markdown {
  return `[${text}](${path.replace(/[^\w./-]/g, encodeURIComponent)})` as Markdown;
}

/**
 * What GitHub acts on behind a backslash too, since it looks for it in rendered text: mentions and mail addresses,
 * issue numbers, commits, URLs, emoji names; and what is safer quoted: tags, mathematics, workflow commands.
 */
const ACTIVE =
  /[`@]|#\d|(?<![a-z0-9])GH-\d|\b[0-9a-f]{7,40}\b|:\/\/|www\.|:[a-z0-9_+-]+:|::|##\[|<[a-z!/?]|&[a-z#]|\$(?!\d)|[^\s(]\$/i;

/** Markup becomes text: in the middle of a line, and at its start where a list or a heading would begin. */
function backslashed(line: string): string {
  return line
    .replace(/[\\*~[\]|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/^[-+=:#>]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

/**
 * In a table cell `\|` is a pipe, also inside code. The number of backslashes before a pipe must be odd for every
 * reader, whether it counts them in pairs or not; so an odd run gets one more than was there.
 */
function pipesEscaped(text: string): string {
  return text.replace(/(\\*)\|/g, (_all, run: string) => `${run}${run.length % 2 === 0 ? '\\' : '\\\\'}|`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** Hostile text for a terminal or a log: one line, nothing that moves the cursor, recolours or commands a runner. */
export function plain(text: string, length = 1000): string {
  return cut(oneLine(text).replaceAll('::', ': :').replaceAll('##[', '## ['), length);
}

/** Our own messages may have a line for each thing that is wrong; on one line they follow each other. */
export function sentences(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

/** What a person can do: a command to copy stands as code, anything else is a sentence. */
export function advice(text: string, length = 200): Markdown {
  return /^batchwright [^`]+$/.test(text) ? code(text, length) : prose(text, length);
}

/** Cut at a whole character, with an ellipsis for what is missing. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/** At most a few thousand characters are looked at: a value may be megabytes. */
function oneLine(text: string): string {
  const head = text.slice(0, 4000).toWellFormed();
  return visibleControls(head.replace(/\r\n?|\n/g, '⏎').replaceAll('\t', ' '));
}

/**
 * Characters that act without being seen: C0 as control pictures (`␛`), the others (C1, line separators, direction,
 * zero width, tags) by number. The two joiners stay: scripts and emoji are made with them.
 */
function visibleControls(text: string): string {
  return text.replace(/(?![\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const at = character.codePointAt(0) ?? 0;
    if (at < 0x20) return String.fromCodePoint(0x2400 + at);
    return `(U+${at.toString(16).toUpperCase().padStart(4, '0')})`;
  });
}
