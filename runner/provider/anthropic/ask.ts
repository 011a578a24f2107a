import { ASK_TIMEOUT_MS, askOnce, bodyOnOneLine } from '../ask.ts';
import type { AskOrder, AskResult } from '../port.ts';
import type { Wire } from './client.ts';

/** One request to `/v1/messages`; the answer as `MessageBatchIndividualResponse` of @anthropic-ai/sdk 1.14.0 has it. */
export function ask(wire: Wire, order: AskOrder): Promise<AskResult> {
  const line = (result: string) => `{"custom_id":"${order.wireId}","result":${result}}`;
  return askOnce(wire, order, {
    async send() {
      // As text: what is asked is byte for byte what a batch would ask.
      const response = await wire.client
        .post(order.endpoint, {
          body: order.body,
          headers: { 'content-type': 'application/json' },
          maxRetries: 0,
          timeout: ASK_TIMEOUT_MS,
        })
        .asResponse();
      return line(`{"type":"succeeded","message":${bodyOnOneLine(await response.text())}}`);
    },
    refused: ({ error }) => line(`{"type":"errored","error":${JSON.stringify(error ?? null)}}`),
  });
}
