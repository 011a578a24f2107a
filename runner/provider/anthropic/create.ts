import { open } from 'node:fs/promises';
import type { BatchView } from '../../journal/batch.ts';
import { serverTime } from '../calls.ts';
import { bodyBytes, type FileBody, withFileBody } from '../file-body.ts';
import type { CreateOrder, Profile } from '../port.ts';
import { batchViewOf } from './batch.ts';
import type { Wire } from './client.ts';

/**
 * Sends the requests of a file as `{"requests":[…]}`, read while they are sent. Through the SDK's own client but not
 * through `batches.create`, which would want a quarter of a gigabyte as objects.
 */
export async function create(wire: Wire, profile: Profile, order: CreateOrder): Promise<BatchView> {
  await refuseOpenEnd(order.input);
  const body = requestsBody(order.input);
  return withFileBody(body, async (stream) => {
    const { data, response } = await wire.client
      .post('/v1/messages/batches', {
        body: stream,
        headers: { 'content-type': 'application/json', 'content-length': String(bodyBytes(body)) },
        maxRetries: 0,
        // A line of 1 Mbit/s must do, as far as the profile allows.
        timeout: Math.min(profile.createTimeoutMs, wire.timeoutMs + Math.ceil(order.input.bytes / 125)),
      })
      .withResponse();
    return batchViewOf(data, serverTime(response));
  });
}

const LINE_FEED = 0x0a;
const COMMA = ','.charCodeAt(0);
const CLOSING_BRACKET = ']'.charCodeAt(0);

/** Before anything is sent: a mistake of ours must not pass for a lost answer. @throws RangeError */
async function refuseOpenEnd({ path, bytes }: CreateOrder['input']): Promise<void> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, bytes - 1));
  if (bytesRead === 0 || buffer[0] !== LINE_FEED)
    throw new RangeError(`${path} does not end with a line feed`);
}

/**
 * JSON escapes line feeds, so every one in the file ends a request: a comma takes its place, and a bracket that of the
 * last. So the length is known without looking at the requests.
 */
function requestsBody({ path, bytes }: CreateOrder['input']): FileBody {
  let left = bytes;
  return {
    path,
    bytes,
    before: Buffer.from('{"requests":['),
    after: Buffer.from('}'),
    change(piece) {
      for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) {
        piece[at] = COMMA;
      }
      left -= piece.length;
      if (left === 0) piece[piece.length - 1] = CLOSING_BRACKET;
    },
  };
}
