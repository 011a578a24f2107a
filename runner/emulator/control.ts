import type { IncomingMessage } from 'node:http';
import type { EmulatorClock } from './clock.ts';
import { json, type Reply, readSmallBody } from './http.ts';
import type { LedgerEntry } from './ledger.ts';

/** The emulator's own addresses, which no provider has: its clock and its ledger. Null for any other path. */
export async function answerControl(
  request: IncomingMessage,
  path: string,
  clock: EmulatorClock,
  ledger: () => AsyncGenerator<LedgerEntry>,
): Promise<Reply | null> {
  if (path === '/__emulator/clock') return answerClock(request, clock);
  if (path !== '/__emulator/ledger') return null;
  return { kind: 'text', status: 200, type: 'application/jsonl', text: asLines(ledger()) };
}

async function answerClock(request: IncomingMessage, clock: EmulatorClock): Promise<Reply> {
  if (request.method === 'POST') {
    const problem = moveClock(clock, (await readSmallBody(request)) ?? '');
    if (problem !== null) return json(400, { error: { message: problem } });
  }
  const now = clock.now();
  return json(200, { mode: clock.mode, now_ms: now, now: new Date(now).toISOString() });
}

function moveClock(clock: EmulatorClock, text: string): string | null {
  try {
    const order = JSON.parse(text) as { readonly advance_ms?: number; readonly set?: number | string };
    if (typeof order.advance_ms === 'number') clock.advance(order.advance_ms);
    else if (order.set !== undefined) clock.set(order.set);
    else return 'expected {"advance_ms": 60000} or {"set": "2026-12-01T00:00:00Z"}';
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const PIECE_CHARACTERS = 1 << 16;

/** JSON lines in pieces of a decent size: a million small writes would take longer than the work. */
async function* asLines(entries: AsyncIterable<LedgerEntry>): AsyncGenerator<string> {
  let piece = '';
  for await (const entry of entries) {
    piece += `${JSON.stringify(entry)}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
