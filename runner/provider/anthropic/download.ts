import { type Saved, saveBody } from '../save.ts';
import type { Wire } from './client.ts';

/**
 * Streams a batch's results to `path`, whole: as bytes and not through the SDK's `results`, whose iterator fails at an
 * empty line and hides a body that ends early. The results are asked for at their documented path; `results_url` is
 * an address that a server chose, and the key goes to no other host.
 * @throws UnreadableAnswer where the body is not as long as it was announced
 */
export async function download(wire: Wire, batchId: string, path: string): Promise<Saved> {
  return saveBody(path, () => answerFor(wire, batchId));
}

/** Uncompressed, so that an announced length is that of the bytes. */
function answerFor(wire: Wire, batchId: string): Promise<Response> {
  return wire.client
    .get(`/v1/messages/batches/${encodeURIComponent(batchId)}/results`, {
      headers: { accept: 'application/binary', 'accept-encoding': 'identity' },
    })
    .asResponse();
}
