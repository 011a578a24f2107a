import { type Instant, instantOf } from '../ids.ts';
import { UnreadableAnswer } from './call-errors.ts';

/** An object whose fields nobody has checked. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/**
 * An object, or a text that is one: OGX 1.5.0 writes the `response.body` of a result line as JSON text. Once and not
 * again: a text inside a text is somebody's content. Null for anything else.
 */
export function readFields(value: unknown): Fields | null {
  if (typeof value !== 'string') return fieldsOf(value);
  if (!/^\s*\{/.test(value)) return null;
  try {
    return fieldsOf(JSON.parse(value));
  } catch {
    return null;
  }
}

/**
 * The object that an answer is. The SDKs hand over text where the content type is not JSON; a gateway may well forget
 * the type.
 * @throws UnreadableAnswer where it is none
 */
export function objectOf(value: unknown): Fields {
  const fields = fieldsOf(typeof value === 'string' ? JSON.parse(value) : value);
  if (fields === null) throw new UnreadableAnswer('it is not a JSON object');
  return fields;
}

/** An empty string stands for "none": a clean batch can have `error_file_id: ""` (kaibo#93). */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** OpenAI writes unix seconds, Anthropic and some of OpenAI's kin RFC 3339. 0 means "not yet" at some. */
export function timeOf(value: unknown): Instant | null {
  const ms = typeof value === 'number' && value > 0 ? value * 1000 : Date.parse(textOf(value) ?? '');
  return Number.isFinite(ms) && Math.abs(ms) <= LAST_DATE_MS ? instantOf(ms) : null;
}

/** ECMAScript: a Date ends here, and throws beyond. */
const LAST_DATE_MS = 8.64e15;

/** A count of a provider's; null for anything else: what is not said is no zero, since counts are part of a proof. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

const MOST_TOKENS = 2 ** 31 - 1;

/** A number of tokens that an outcomes file can hold; anything else is none. */
export function tokensOf(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS;
  return isCount ? value : null;
}
