import { duplicateNameBeside, isTooDeep } from '../manifest/json-names.ts';
import type { AnswerCheck } from '../spec/output-schema.ts';
import { EMPTY } from './causes.ts';
import { mayLoseDigits, parseExactValue } from './exact-value.ts';
import type { StorageCheck } from './storage-check.ts';

/** What an answer must be: JSON that passes the job's schema, or text. */
export interface AnswerRules {
  /**
   * `numbers`: JSON that was written from doubles, so that no digit of it can be lost. Looking for one in the thousands
   * of an embedding takes three times as long as all the rest.
   */
  readonly outputKind: 'json' | 'text' | 'numbers';
  /** From `compileAnswerCheck`; null accepts any JSON. Not asked for free text. */
  readonly check: AnswerCheck | null;
  /** From `compileStorageCheck`; null or absent where the sinks ask nothing more. Not asked for free text. */
  readonly storage?: StorageCheck | null;
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
  return validJson(text, rules);
}

function invalid(cause: string, detail: string | null = null): Validated {
  return { kind: 'invalid', cause, detail };
}

function validText(text: string): Validated {
  return storable(JSON.stringify(text)) ?? { kind: 'ok', answer: JSON.stringify(text) };
}

function validJson(text: string, { check, outputKind, storage }: AnswerRules): Validated {
  try {
    const value: unknown = JSON.parse(text);
    // A vector was written from doubles, a list of them, by us.
    const isPlain = outputKind === 'numbers';
    if (!isPlain && isTooDeep(text)) return invalid(TOO_DEEP);
    const exact = !isPlain && mayLoseDigits(text) ? parseExactValue(text) : value;
    const fault = check?.(value, exact) ?? null;
    if (fault !== null) return invalid(fault.cause, fault.detail);
    const answer = JSON.stringify(exact);
    const unclear = (isPlain ? null : ambiguous(text, answer)) ?? storable(answer);
    return unclear ?? misfit(exact, storage) ?? { kind: 'ok', answer };
  } catch (error) {
    // Some schemas recur, and take more of the stack for a level than any value does.
    if (error instanceof RangeError) return invalid(TOO_DEEP);
    if (error instanceof SyntaxError) return invalid('not JSON', error.message);
    throw error;
  }
}

const TOO_DEEP = 'nested too deep';

/** JSON.parse keeps the last of two, and another reader the first: which was meant, nobody can say. */
function ambiguous(text: string, answer: string): Validated | null {
  const name = duplicateNameBeside(text, answer);
  return name === null ? null : invalid('names a property twice', `the property ${JSON.stringify(name)}`);
}

/** Last of all: what it says is clear, and only a sink cannot hold it. */
function misfit(exact: unknown, storage: AnswerRules['storage']): Validated | null {
  const fault = storage?.(exact) ?? null;
  return fault === null ? null : invalid(fault.cause, fault.detail);
}

/** JSON text shows a lone half of a surrogate pair as `\udxxx` and U+0000 as `\u0000`; no sink can hold either. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:d[89ab][0-9a-f]{2}|d[c-f][0-9a-f]{2}|0000)/;

function storable(json: string): Validated | null {
  if (!json.includes('\\u') || !UNSTORABLE.test(json)) return null;
  return invalid('text that cannot be stored', 'half a surrogate pair, or the character U+0000');
}
