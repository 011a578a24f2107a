import { ASK_TIMEOUT_MS, askOnce } from '../ask.ts';
import { fieldsOf } from '../fields.ts';
import type { AskOrder, AskResult } from '../port.ts';
import type { Wire } from './client.ts';
import { bodyError } from './errors.ts';

/** One request to `models/{model}:generateContent` or `:embedContent`; the answer as a line of a result file. @param path of the model */
export function ask(wire: Wire, path: string, order: AskOrder): Promise<AskResult> {
  const line = (what: 'response' | 'error', value: unknown) =>
    `{"key":"${order.wireId}","${what}":${JSON.stringify(value)}}`;
  return askOnce(wire, order, {
    async send() {
      const asked = {
        method: 'POST',
        path: `${path}:${order.endpoint}`,
        body: order.body,
        timeoutMs: ASK_TIMEOUT_MS,
      } as const;
      return line('response', (await wire.ask(asked)).value);
    },
    refused: ({ status, error }) =>
      line('error', { code: status, ...(fieldsOf(bodyError(error)) ?? { message: String(error) }) }),
  });
}
