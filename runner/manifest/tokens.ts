import type { Messages } from './manifest.ts';

/**
 * Estimates input tokens. Exact for the first rows; afterwards a row's bytes times tokens per byte as counted on
 * every 199th row, since counting costs 150 us a row where all the rest of freezing costs 15. The rows that are
 * counted depend on their place alone, so the same input has the same estimate.
 */
export interface TokenCounter {
  /** Of one request; messages as rendered, in the order of the rows. */
  estimate(messages: Messages): number;
  /** Counted to the end, however long. */
  exact(messages: Messages): number;
}

const EXACT_ROWS = 500;
/** Characters of text that the exact start may cost, about half a second. */
const EXACT_CHARACTERS = 2_000_000;
const SAMPLE_EVERY = 199;

/**
 * What surrounds the texts of a request: about 3 tokens a message and 3 to open the answer, as the vendor's cookbook
 * counts chat messages.
 */
const FRAME_TOKENS = 9;

/**
 * `constant` is text that goes with every request besides the messages: the output schema; null where the text travels
 * bare, as it does to be embedded. The vocabulary is that of
 * GPT-4o and all later models; others count within about a tenth of it, and `ceilingTokens` has room for that.
 */
export async function tokenCounter(constant: string | null): Promise<TokenCounter> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Without this a row that says `<|endoftext|>` would throw; to the API it is text like any other.
  const count = (text: string) => countTokens(text, { disallowedSpecial: new Set() });
  const fixed = constant === null ? 0 : FRAME_TOKENS + count(constant);
  const system = memoised((text) => countLong(text, count));
  const ratio = { tokens: 0, bytes: 0, characters: 0, rows: 0 };
  return {
    exact: ({ system: instructions, user }) =>
      fixed + countAll(instructions ?? '', count) + countAll(user, count),
    estimate({ system: instructions, user }) {
      const bytes = Buffer.byteLength(user);
      const isCounted =
        ratio.rows % SAMPLE_EVERY === 0 || (ratio.rows < EXACT_ROWS && ratio.characters < EXACT_CHARACTERS);
      ratio.rows += 1;
      const own = isCounted ? countLong(user, count) : Math.ceil((bytes * ratio.tokens) / ratio.bytes);
      if (isCounted) {
        ratio.tokens += own;
        // Never 0: an input of empty prompts must not divide by it.
        ratio.bytes += bytes + 1;
        ratio.characters += user.length;
      }
      return fixed + system(instructions ?? '') + own;
    },
  };
}

/**
 * The most tokens that an estimate may turn out to be, for the ceiling of money. 15 % for other vocabularies, for
 * how providers write schemas and messages down, and for rows that were not counted.
 */
export function ceilingTokens(estimated: number): number {
  return Math.ceil(estimated * 1.15);
}

/**
 * Characters counted at a time. The time to merge a word grows with its square, and Chinese text is one word to the
 * tokenizer: 16,000 characters of it take 570 ms, 2,000 take 9.
 */
const PIECE = 2_000;
const PIECES = 4;

/** Long texts by four pieces, evenly spread: an estimate needs no last digit. */
function countLong(text: string, count: (text: string) => number): number {
  if (text.length <= PIECE * PIECES) return countAll(text, count);
  const step = (text.length - PIECE) / (PIECES - 1);
  let counted = 0;
  for (let piece = 0; piece < PIECES; piece += 1) {
    const from = Math.floor(piece * step);
    counted += count(text.slice(from, from + PIECE));
  }
  return Math.ceil((counted * text.length) / (PIECE * PIECES));
}

function countAll(text: string, count: (text: string) => number): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += PIECE) sum += count(text.slice(at, at + PIECE));
  return sum;
}

/** Instructions are mostly the same for every row. */
function memoised(count: (text: string) => number): (text: string) => number {
  let last = '';
  let tokens = 0;
  return (text) => {
    if (text !== last) {
      last = text;
      tokens = count(text);
    }
    return tokens;
  };
}
