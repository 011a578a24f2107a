import type { World } from './world.ts';

/**
 * What a proxy does that repeats a create whose answer it lost: the provider makes another batch from the same file,
 * with the same metadata. Over real HTTP, past our own client.
 * @returns the new batch's id
 */
export async function repeatCreate(w: World, nth = 0): Promise<string> {
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };
  const list = await fetch(`${w.emulator.url}/batches`, { headers });
  const { data } = (await list.json()) as { data: readonly Record<string, unknown>[] };
  const { input_file_id, endpoint, completion_window, metadata } = data.toReversed()[nth] ?? {};
  const body = JSON.stringify({ input_file_id, endpoint, completion_window, metadata });
  const answer = await fetch(`${w.emulator.url}/batches`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`the create was refused: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** The same at Gemini, which lists what a batch was made from. */
export async function repeatGeminiCreate(w: World): Promise<void> {
  const headers = { 'x-goog-api-key': 'key', 'content-type': 'application/json' };
  const list = await fetch(`${w.emulator.origin}/v1beta/batches`, { headers });
  const { operations } = (await list.json()) as { operations: readonly { metadata: GeminiBatch }[] };
  const { model, displayName, inputConfig } = operations.at(-1)?.metadata ?? {};
  const body = JSON.stringify({ batch: { displayName, inputConfig } });
  const url = `${w.emulator.origin}/v1beta/${model}:batchGenerateContent`;
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`the create was refused: ${await answer.text()}`);
}

interface GeminiBatch {
  readonly model: string;
  readonly displayName: string;
  readonly inputConfig: unknown;
}
