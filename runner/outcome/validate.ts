import { ExactNumber } from '../manifest/exact-json.ts';
import type { AnswerCheck } from '../spec/output-schema.ts';
import { EMPTY } from './causes.ts';

/** What an answer must be: JSON that passes the job's schema, or text. */
export interface AnswerRules {
  /**
   * `numbers`: JSON that was written from doubles, so that no digit of it can be lost. Looking for one in the thousands
   * of an embedding takes three times as long as all the rest.
   */
  readonly outputKind: 'json' | 'text' | 'numbers';
  /** From `compileAnswerCheck`; null accepts any JSON. Not asked for free text. */
  readonly check: AnswerCheck | null;
}

export type Validated =
  /** `answer` is JSON text without superfluous blanks; free text is a JSON string. */
  | { readonly kind: 'ok'; readonly answer: string }
  /** `cause` is the same for the same cause; `detail` may speak of this answer. */
  | { readonly kind: 'invalid'; readonly cause: string; readonly detail: string | null };

/** `several`: valid messages that differ, and which of them was meant is for a person to say. */
export type ValidatedMessages = Validated | { readonly kind: 'several'; readonly count: number };

/**
 * What the messages of one reply come to. One that is valid is the answer, whatever the model said before and after it,
 * and so are several that say the same. Pure and total.
 */
export function validateMessages(texts: readonly string[], rules: AnswerRules): ValidatedMessages {
  const told = texts.filter((text) => text.trim() !== '');
  if (told.length <= 1) return validateAnswer(told[0] ?? null, rules);
  const results = told.map((text) => validateAnswer(text, rules));
  const valid = new Map(results.flatMap((each) => (each.kind === 'ok' ? [[each.answer, each]] : [])));
  const [answer, ...others] = valid.values();
  if (others.length > 0) return { kind: 'several', count: valid.size };
  // A model that thinks aloud says its answer last.
  return answer ?? results.at(-1) ?? invalid(EMPTY);
}

/**
 * Holds a finished answer against the rules. Nothing is repaired, coerced or filled in: an answer that needs help
 * is not the answer that was asked for. Pure and total.
 */
export function validateAnswer(text: string | null, rules: AnswerRules): Validated {
  if (text === null || text.trim() === '') return invalid(EMPTY);
  if (rules.outputKind === 'text') return validText(text);
  return validJson(text, rules.check, rules.outputKind === 'json' && mayLoseDigits(text));
}

function invalid(cause: string, detail: string | null = null): Validated {
  return { kind: 'invalid', cause, detail };
}

function validText(text: string): Validated {
  return storable(JSON.stringify(text)) ?? { kind: 'ok', answer: JSON.stringify(text) };
}

function validJson(text: string, check: AnswerCheck | null, isLossy: boolean): Validated {
  try {
    const value: unknown = JSON.parse(text);
    const fault = check?.(value) ?? null;
    if (fault !== null) return invalid(fault.cause, fault.detail);
    const answer = JSON.stringify(isLossy ? exactly(text) : value);
    return storable(answer) ?? { kind: 'ok', answer };
  } catch (error) {
    // A RangeError comes from an answer nested thousands deep: the parser takes it, the serialiser does not.
    if (error instanceof RangeError) return invalid('nested too deep');
    if (error instanceof SyntaxError) return invalid('not JSON', error.message);
    throw error;
  }
}

/** JSON text shows a lone half of a surrogate pair as `\udxxx` and U+0000 as `\u0000`; no sink can hold either. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:d[89ab][0-9a-f]{2}|d[c-f][0-9a-f]{2}|0000)/;

function storable(json: string): Validated | null {
  if (!json.includes('\\u') || !UNSTORABLE.test(json)) return null;
  return invalid('text that cannot be stored', 'half a surrogate pair, or the character U+0000');
}

/** A cheap look before the slow way: sixteen digits in a row, or an exponent. */
function mayLoseDigits(text: string): boolean {
  return /\d(?:[eE][-+]?\d|[\d.]{15})/.test(text);
}

/** The value with each number that a double cannot hold kept as it was written. */
function exactly(text: string): unknown {
  return JSON.parse(text, exactNumber as never);
}

/** TypeScript's library does not know the reviver's third argument yet. */
function exactNumber(_name: string, value: unknown, context: { readonly source: string }): unknown {
  if (typeof value !== 'number') return value;
  return decimalOf(String(value)) === decimalOf(context.source) ? value : new ExactNumber(context.source);
}

/** Digits and exponent, the same for `1.10`, `1.1` and `11e-1`; `Infinity`, which JSON cannot say, has no digits. */
function decimalOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^-?0*/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const sign = whole.startsWith('-') ? '-' : '';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
