import { open } from 'node:fs/promises';
import { linesOfFile } from '../../lines.ts';
import { UnreadableAnswer } from '../call-errors.ts';
import { serverTime } from '../calls.ts';
import { type Saved, saveBody } from '../save.ts';
import { batchViewOf, resultsIn } from './batch.ts';
import type { Wire } from './client.ts';

/**
 * Streams a batch's results to `path`, whole: as bytes and not through the SDK's `results`, whose iterator fails at an
 * empty line and hides a body that ends early. The results are asked for at their documented path; `results_url` is
 * an address that a server chose, and the key goes to no other host.
 *
 * Where no length was announced, the lines are counted. Fewer than the batch has results are believed only when they
 * come twice: counts may be wrong, but a body is not cut at the same place again.
 * @throws UnreadableAnswer where the body is not whole
 */
export async function download(wire: Wire, batchId: string, path: string): Promise<Saved> {
  const first = await save(wire, batchId, path);
  if (first.announced) return first.saved;
  const expected = await resultsOf(wire, batchId);
  if (expected === null || (await wholeLinesIn(path)) >= expected) return first.saved;
  const { saved } = await save(wire, batchId, path);
  const lines = await wholeLinesIn(path);
  if (saved.digest === first.saved.digest || lines >= expected) return saved;
  throw new UnreadableAnswer(`the results ended after ${lines} of ${expected} lines`);
}

interface Answered {
  readonly saved: Saved;
  /** The answer said how long it is, and `saveBody` has held it to that. */
  readonly announced: boolean;
}

async function save(wire: Wire, batchId: string, path: string): Promise<Answered> {
  let announced = false;
  async function answer(): Promise<Response> {
    const response = await answerFor(wire, batchId);
    announced = response.headers.has('content-length');
    return response;
  }
  const saved = await saveBody(path, answer, async () => null);
  return { saved, announced };
}

/** Uncompressed, so that an announced length is that of the bytes. */
function answerFor(wire: Wire, batchId: string): Promise<Response> {
  return wire.client
    .get(`/v1/messages/batches/${encodeURIComponent(batchId)}/results`, {
      headers: { accept: 'application/binary', 'accept-encoding': 'identity' },
    })
    .asResponse();
}

/** Null where the server does not tell: then the lines themselves are all there is to go by. */
async function resultsOf(wire: Wire, batchId: string): Promise<number | null> {
  const call = await wire.once(`count ${batchId}`, async () => {
    const { data, response } = await wire.client.messages.batches.retrieve(batchId).withResponse();
    return batchViewOf(data, serverTime(response));
  });
  return call.kind === 'ok' ? resultsIn(call.value) : null;
}

/** @throws UnreadableAnswer where the last line is cut: it has no line feed and is no JSON. */
async function wholeLinesIn(path: string): Promise<number> {
  let lines = 0;
  let last: Buffer = Buffer.alloc(0);
  for (const { bytes } of linesOfFile(path)) {
    lines += 1;
    last = bytes;
  }
  if (lines > 0 && !(await endsWithLineFeed(path)) && !isJson(last.toString()))
    throw new UnreadableAnswer(`the results ended in the middle of line ${lines}`);
  return lines;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function endsWithLineFeed(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}
