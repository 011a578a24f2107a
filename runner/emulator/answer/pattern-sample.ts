import type { Draw } from '../seed.ts';

/**
 * A text that a simple regular expression accepts: literals, classes, groups, alternatives, quantifiers, anchors.
 * Null where the pattern has more than that (look-around, back references, `\p{…}`): the caller says something else.
 */
export function sampleOfPattern(pattern: string, draw: Draw): string | null {
  try {
    const sample = alternatives(new Reader(pattern), draw);
    return new RegExp(pattern, 'u').test(sample) ? sample : null;
  } catch {
    return null;
  }
}

/** `*` and `+` have no upper end; a few more than the least will do. */
const MORE = 3;
const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const SETS: Readonly<Record<string, string>> = {
  d: DIGITS,
  w: LOWER + DIGITS,
  s: ' ',
  D: LOWER,
  W: '-',
  S: LOWER,
};
const PRINTABLE = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('');

class Reader {
  private at = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  peek(): string {
    return this.source[this.at] ?? '';
  }

  take(): string {
    const char = this.peek();
    if (char === '') throw new RangeError('pattern ends early');
    this.at += 1;
    return char;
  }

  /** Moves past `expression` (sticky) and returns what it matched. */
  skip(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const match = expression.exec(this.source);
    if (match !== null) this.at += match[0].length;
    return match;
  }
}

function alternatives(reader: Reader, draw: Draw): string {
  const found = [sequence(reader, draw)];
  while (reader.skip(/\|/y)) found.push(sequence(reader, draw));
  return found[draw.below(found.length)] ?? '';
}

function sequence(reader: Reader, draw: Draw): string {
  let text = '';
  while (reader.peek() !== '' && !/[|)]/.test(reader.peek())) text += repeated(reader, draw);
  return text;
}

function repeated(reader: Reader, draw: Draw): string {
  const piece = atom(reader, draw);
  const [least, most] = quantifier(reader);
  const times = least + draw.below(most - least + 1);
  return Array.from({ length: times }, piece).join('');
}

function quantifier(reader: Reader): readonly [number, number] {
  const match = reader.skip(/(?:([?*+])|\{(\d+)(,?)(\d*)\})\??/y);
  if (match === null) return [1, 1];
  const [, sign, least, comma, most] = match;
  if (sign === '?') return [0, 1];
  if (sign === '*') return [0, MORE];
  if (sign === '+') return [1, 1 + MORE];
  if (comma === '') return [Number(least), Number(least)];
  return [Number(least), most === '' ? Number(least) + MORE : Number(most)];
}

/** One character or group, as a maker: each repetition may draw another. */
function atom(reader: Reader, draw: Draw): () => string {
  const char = reader.take();
  if (char === '^' || char === '$') return () => '';
  if (char === '.') return from(LOWER, draw);
  if (char === '[') return from(setOf(reader), draw);
  if (char === '\\') return escaped(reader.take(), draw);
  if (char !== '(') return () => char;
  if (reader.peek() === '?' && !reader.skip(/\?:|\?<[A-Za-z]\w*>/y)) throw new RangeError('look-around');
  const inside = alternatives(reader, draw);
  if (reader.take() !== ')') throw new RangeError('group without an end');
  return () => inside;
}

function escaped(char: string, draw: Draw): () => string {
  const set = SETS[char];
  if (set !== undefined) return from(set, draw);
  if (/[a-zA-Z0-9]/.test(char)) throw new RangeError(`\\${char} is more than this knows`);
  return () => char;
}

function setOf(reader: Reader): string {
  const negated = reader.skip(/\^/y) !== null;
  let set = '';
  while (reader.peek() !== ']') set += setPart(reader);
  reader.take();
  return negated ? [...LOWER, ...PRINTABLE].filter((char) => !set.includes(char)).join('') : set;
}

function setPart(reader: Reader): string {
  const first = reader.take();
  if (first === '\\') {
    const char = reader.take();
    return SETS[char] ?? char;
  }
  const range = reader.skip(/-([^\]\\])/y);
  return range === null ? first : between(first, range[1] ?? first);
}

function between(first: string, last: string): string {
  const start = first.charCodeAt(0);
  const length = last.charCodeAt(0) - start + 1;
  return Array.from({ length: Math.min(length, 256) }, (_, at) => String.fromCharCode(start + at)).join('');
}

function from(set: string, draw: Draw): () => string {
  if (set === '') throw new RangeError('empty class');
  return () => set.charAt(draw.below(set.length));
}
