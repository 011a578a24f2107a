import { ASK_TIMEOUT_MS, askOnce, bodyOnOneLine } from '../ask.ts';
import type { AskOrder, AskResult } from '../port.ts';
import type { Wire } from './client.ts';

/** One request to the endpoint that batches use too; the answer as a line of a result file. */
export function ask(wire: Wire, order: AskOrder): Promise<AskResult> {
  const line = (status: number, requestId: string | null, body: string) =>
    `{"id":null,"custom_id":"${order.wireId}","response":{"status_code":${status},` +
    `"request_id":${JSON.stringify(requestId)},"body":${body}},"error":null}`;
  return askOnce(wire, order, {
    async send() {
      // The base URL has the API's version in it. As text: what is asked is byte for byte what a batch would ask.
      const response = await wire.client
        .post(order.endpoint.replace(/^\/v1/, ''), {
          body: order.body,
          headers: { 'content-type': 'application/json' },
          maxRetries: 0,
          timeout: ASK_TIMEOUT_MS,
        })
        .asResponse();
      return line(
        response.status,
        response.headers.get('x-request-id'),
        bodyOnOneLine(await response.text()),
      );
    },
    refused: ({ status, error }) => line(status, null, JSON.stringify({ error: error ?? null })),
  });
}
