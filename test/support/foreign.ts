import { join } from 'node:path';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { wireId } from '../../runner/ids.ts';
import { repositoryAt } from './providers.ts';
import type { World } from './world.ts';

/** A job of eight tickets at a provider whose batches bear no tag. */
export function tagless(job = '', rows?: readonly object[]): Record<string, string> {
  return repositoryAt('anthropic/claude-haiku-4-5', job, rows);
}

/** Somebody else's batch in the same workspace, past our own client. @returns its id */
export function foreignBatch(w: World, count: number): Promise<string> {
  const params = {
    model: 'claude-haiku-4-5',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'hello' }],
  };
  const requests = Array.from({ length: count }, (_, at) => ({ custom_id: `theirs-${at}`, params }));
  return post(w, requests);
}

/** What a proxy does that repeats a create: another batch with the very requests of an intent. @returns its id */
export async function repeatRequests(w: World): Promise<string> {
  const [intent] = Object.values((await w.journal()).intents);
  if (intent === undefined) throw new Error('nothing was announced');
  const duck = await openDuck();
  const rows = await duck.rows<{ ordinal: number; body: string }>(
    `SELECT ordinal, frozen[2] AS body FROM read_parquet(${sqlText(join(w.root, 'state/tickets/runs/1/*manifest*.parquet'))}) ORDER BY ordinal`,
  );
  duck.close();
  return post(
    w,
    rows.map(({ ordinal, body }) => ({
      custom_id: wireId(intent.intent, ordinal),
      params: JSON.parse(body),
    })),
  );
}

async function post(w: World, requests: readonly object[]): Promise<string> {
  const headers = {
    'x-api-key': 'key',
    'content-type': 'application/json',
    'anthropic-version': '2026-10-21',
  };
  const answer = await fetch(`${w.emulator.origin}/v1/messages/batches`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ requests }),
  });
  if (!answer.ok) throw new Error(`the create was refused: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** How often each call was made since the emulator started. */
export async function callsOf(w: World): Promise<Readonly<Record<string, number>>> {
  for await (const entry of w.emulator.ledger()) if (entry.kind === 'calls') return entry.calls;
  return {};
}
