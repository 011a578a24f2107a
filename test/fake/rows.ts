import type { Outcome, Row, RowError, Stop, ToldUsage, Twist, Usage } from './model.ts';

/** What may befall a single request at the model. */
export type RowFault =
  /** It is not answered: capacity is 429 or RESOURCE_EXHAUSTED, invalid is 400, model is 404, money is no credit. */
  | { kind: 'row_error'; error: RowError }
  | { kind: 'refusal' }
  /** Half an answer, stopped at the cap. */
  | { kind: 'truncated' }
  /** Blanks up to the cap, as small models do. */
  | { kind: 'blanks' }
  | { kind: 'empty_text' }
  | { kind: 'context_window' }
  /** A stop reason that no documentation has. */
  | { kind: 'unknown_stop' }
  /** Other text than the `answer` option gives. */
  | { kind: 'text'; text: string }
  /** Two messages (OpenAI responses) or parts of one message (all others) with the same or other text. */
  | { kind: 'second_text'; text: string }
  /** What is told of the tokens contradicts itself; what is charged stays right. */
  | { kind: 'usage'; tale: UsageTale }
  /** Vectors in another order than their index says, packed unasked, or one too few. */
  | { kind: 'vectors'; twist: Twist };

export type UsageTale =
  | 'absent'
  | 'zero_parts'
  | 'negative'
  | 'cached_above_input'
  | 'reasoning_above_output'
  | 'total_below_parts';

/** What the model makes of a request: its outcome, and what is truly charged for it. */
export function runRow(
  row: Row,
  text: string,
  fault: RowFault | null,
): { outcome: Outcome; usage: Usage; billed: boolean } {
  const error = row.doomed ? 'invalid' : fault?.kind === 'row_error' ? fault.error : null;
  if (error !== null)
    return { outcome: { is: 'error', error }, usage: { input: 0, output: 0 }, billed: false };
  const { texts, stop } = applyFault(text, fault);
  const usage = countTokens(row, texts);
  const told = tellUsage(usage, fault?.kind === 'usage' ? fault.tale : null);
  const twist = fault?.kind === 'vectors' ? fault.twist : null;
  return { outcome: { is: 'answer', texts, stop, told, twist }, usage, billed: true };
}

function applyFault(text: string, fault: RowFault | null): { texts: string[]; stop: Stop } {
  switch (fault?.kind) {
    case 'refusal':
      return { texts: ['I cannot help with this one.'], stop: 'refusal' };
    case 'truncated':
      return { texts: [text.slice(0, Math.ceil(text.length / 2))], stop: 'length' };
    case 'blanks':
      return { texts: [`${text.slice(0, 1)}${'\n '.repeat(400)}`], stop: 'length' };
    case 'empty_text':
      return { texts: [''], stop: 'end' };
    case 'context_window':
      return { texts: [''], stop: 'context' };
    case 'unknown_stop':
      return { texts: [text], stop: 'unknown' };
    case 'text':
      return { texts: [fault.text], stop: 'end' };
    case 'second_text':
      return { texts: [text, fault.text], stop: 'end' };
    default:
      return { texts: [text], stop: 'end' };
  }
}

/** Four characters a token is near enough, and anybody can count it again. */
function countTokens(row: Row, texts: string[]): Usage {
  const embeds = row.form === 'embeddings' || row.form === 'embed';
  return {
    input: countText(`${row.system}${row.prompt}`),
    output: embeds ? 0 : countText(texts.join('')),
  };
}

function countText(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

function tellUsage({ input, output }: Usage, tale: UsageTale | null): ToldUsage | null {
  const right = { input, output, cached: 0, reasoning: 0, total: input + output };
  switch (tale) {
    case null:
      return right;
    case 'absent':
      return null;
    case 'zero_parts':
      return { ...right, input: 0, output: 0 };
    case 'negative':
      return { ...right, input: -input };
    case 'cached_above_input':
      return { ...right, cached: input + 7 };
    case 'reasoning_above_output':
      return { ...right, reasoning: output + 7 };
    case 'total_below_parts':
      return { ...right, total: 1 };
    default:
      return tale satisfies never;
  }
}
