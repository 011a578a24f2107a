import { type AnsweredError, isAnswered, isRefusal } from './call-errors.ts';
import type { Calls } from './calls.ts';
import type { AskOrder, AskResult } from './port.ts';

/** How long an answer may take: models that think need minutes, and gateways give up before ten. */
export const ASK_TIMEOUT_MS = 300_000;

/** A provider's way to ask. Both give a line as in a result file. */
export interface Asking {
  send(): Promise<string>;
  /** For an answer with a status of 400 or more: it is an answer about this request like any other. */
  refused(error: AnsweredError): string;
}

/** One request, whatever comes of it. Only where no connection was made is it known that nothing was asked. */
export async function askOnce(
  calls: Calls,
  { wireId }: AskOrder,
  { send, refused }: Asking,
): Promise<AskResult> {
  const call = await calls.once(`ask ${wireId}`, async () => {
    try {
      return await send();
    } catch (thrown) {
      // Kept, and quoted in pages.
      if (isAnswered(thrown)) return calls.withoutKey(refused(thrown));
      throw thrown;
    }
  });
  if (call.kind === 'ok') return { kind: 'answered', line: call.value };
  return { kind: isRefusal(call.error) ? 'not_sent' : 'unknown', error: call.error };
}

/** A body as JSON on one line, with each number as it was written. What is no JSON becomes a JSON string. */
export function bodyOnOneLine(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  // Inside of strings JSON knows no line ends but escaped ones.
  return text.replaceAll(/[\r\n]+/g, ' ');
}
