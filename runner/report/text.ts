import type { Instant } from '../ids.ts';
import { epochMs } from '../ids.ts';

declare const figure: unique symbol;
/** Text of our own making out of digits, units and plain words: safe in Markdown, on a terminal, anywhere. */
export type Figure = string & { readonly [figure]: true };

const MINUS = '\u2212';
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `99,412` */
export function count(n: number): Figure {
  return grouped.format(n) as Figure;
}

/** `1 row`, `1,200 rows` */
export function many(n: number, one: string, more = `${one}s`): Figure {
  return `${count(n)} ${n === 1 ? one : more}` as Figure;
}

/**
 * `$28.18`, `$0.283`, `$0.0042`: two decimals, and below a dollar as many as tell the sum, since a thousand rows may
 * cost less than a cent. Null is "unknown", never zero.
 */
export function usd(amount: number | null): Figure {
  if (amount === null) return 'unknown' as Figure;
  const size = Math.abs(amount);
  if (size > 0 && size < 0.000001) return 'under $0.000001' as Figure;
  return `${amount < 0 ? MINUS : ''}$${decimals(size)}` as Figure;
}

/** A ceiling as a person wrote it: `$40`, `$0.50`. */
export function ceiling(amount: number): Figure {
  return (Number.isInteger(amount) ? `$${count(amount)}` : usd(amount)) as Figure;
}

function decimals(size: number): string {
  if (size === 0 || size >= 1) return cents.format(size);
  const digits = size >= 0.1 ? 3 : 1 - Math.floor(Math.log10(size));
  const text = size.toFixed(digits);
  // At least two decimals, none beyond them that say nothing: 0.30, 0.283, 0.0042.
  return text.replace(/(\.\d\d+?)0+$/, '$1');
}

const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `41.2 %`. Never `100.0 %` of what is not whole nor `0.0 %` of what is there; `–` of nothing. */
export function percent(part: number, whole: number): Figure {
  if (whole === 0) return '–' as Figure;
  const share = (part / whole) * 100;
  if (part > 0 && share < 0.05) return 'under 0.1 %' as Figure;
  if (part < whole && share >= 99.95) return '99.9 %' as Figure;
  return `${share.toFixed(1)} %` as Figure;
}

/** Of two shares in percent: `+1.1`, `−0.5`, `0.0`. */
export function points(now: number, before: number): Figure {
  const text = Math.abs(now - before).toFixed(1);
  if (text === '0.0') return text as Figure;
  return `${now > before ? '+' : MINUS}${text}` as Figure;
}

/** How far the first is from the second: `+0.7 %`, `−12.0 %`. */
export function deviation(actual: number, expected: number): Figure {
  if (expected === 0) return '–' as Figure;
  return `${points((actual / expected) * 100, 100)} %` as Figure;
}

/** `470`, `12,345`, `523 k`, `51.9 M`, `1.2 B` */
export function tokens(n: number): Figure {
  if (n < 100_000) return count(n);
  if (n < 999_500) return `${(n / 1000).toFixed(0)} k` as Figure;
  if (n < 999_950_000) return `${(n / 1e6).toFixed(1)} M` as Figure;
  return `${(n / 1e9).toFixed(1)} B` as Figure;
}

/** `812 B`, `3.4 kB`, `120.5 MB`, `1.2 GB` */
export function bytes(n: number): Figure {
  if (n < 1_000) return `${n} B` as Figure;
  if (n < 999_950) return `${(n / 1e3).toFixed(1)} kB` as Figure;
  if (n < 999_950_000) return `${(n / 1e6).toFixed(1)} MB` as Figure;
  return `${(n / 1e9).toFixed(1)} GB` as Figure;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `0.4 s`, `38 s`, `41 min`, `2 h 51 min`, `26 h 40 min`, `4 d 3 h` */
export function duration(ms: number): Figure {
  if (ms < 9_950) return `${(ms / SECOND).toFixed(1)} s` as Figure;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s` as Figure;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min` as Figure;
  if (ms < 3 * DAY) return pair(ms, HOUR, 'h', MINUTE, 'min');
  return pair(ms, DAY, 'd', HOUR, 'h');
}

function pair(ms: number, big: number, bigName: string, small: number, smallName: string): Figure {
  const rest = Math.floor((ms % big) / small);
  const head = `${Math.floor(ms / big)} ${bigName}`;
  return (rest === 0 ? head : `${head} ${rest} ${smallName}`) as Figure;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** `2026-11-25 09:02`, UTC */
export function dateTime(at: Instant): Figure {
  return at.slice(0, 16).replace('T', ' ') as Figure;
}

/** `Wed 09:02`, UTC; only beside a full date, or within a week of now. */
export function dayTime(at: Instant): Figure {
  return `${DAYS[new Date(epochMs(at)).getUTCDay()]} ${at.slice(11, 16)}` as Figure;
}

/** `09:02:11`, UTC; for what takes minutes. */
export function clockTime(at: Instant): Figure {
  return at.slice(11, 19) as Figure;
}

/** `2026-11-25` */
export function date(at: Instant): Figure {
  return at.slice(0, 10) as Figure;
}

/** `be19c04d`: enough of a digest to find it by. */
export function shortHex(digest: string): Figure {
  return digest.replace(/[^0-9a-f]/g, '').slice(0, 8) as Figure;
}
