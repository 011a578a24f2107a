import { createReadStream, openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Handlebars from 'handlebars';
import { measured, PhaseClock, printResult, readOrder } from './contestant.ts';
import { LineFile, linesOf } from './line-file.ts';
import { SHARD_REQUESTS, TASK } from './task.ts';

/**
 * The task as a bare streaming loop: no journal, no ledger, nothing kept of what came, every failure is the end. What
 * a careful person would write in an afternoon to be fast; Batchwright cannot be expected to be much faster.
 */
const { rowsFile, serverUrl, work } = readOrder();
const clock = new PhaseClock();
const shards = await renderShards();
clock.mark('freeze');
const batches: string[] = [];
for (const shard of shards) batches.push(await submit(shard));
clock.mark('submit');
const ok = await collect();
clock.mark('collect');
printResult(ok, measured(clock.phases));

async function renderShards(): Promise<string[]> {
  const system = Handlebars.compile(TASK.system, { noEscape: true, strict: true });
  const user = Handlebars.compile(TASK.user, { noEscape: true, strict: true });
  const paths: string[] = [];
  let shard: LineFile | null = null;
  let count = 0;
  for await (const line of linesOf(createReadStream(rowsFile, { highWaterMark: 1 << 20 }))) {
    if (shard === null) {
      const path = join(work, `shard-${paths.length}.jsonl`);
      paths.push(path);
      shard = new LineFile(path);
      count = 0;
    }
    const row = JSON.parse(line);
    await shard.add(requestLine(row.id, system(row), user(row)));
    count += 1;
    if (count < SHARD_REQUESTS) continue;
    await shard.end();
    shard = null;
  }
  await shard?.end();
  return paths;
}

function requestLine(id: string, system: string, user: string): string {
  return JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: TASK.endpoint,
    body: {
      model: TASK.model,
      max_output_tokens: TASK.maxOutputTokens,
      text: { format: { type: 'json_schema', name: 'answer', strict: true, schema: TASK.schema } },
      input: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    },
  });
}

async function submit(path: string): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', await openAsBlob(path), 'batch.jsonl');
  // Without `redirect: error` fetch keeps a second copy of the body, in case it has to be sent again.
  const file = await fetched('files', { method: 'POST', body: form, redirect: 'error' });
  const order = { input_file_id: file.id, endpoint: TASK.endpoint, completion_window: '24h' };
  const batch = await fetched('batches', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  return batch.id;
}

interface Fetched {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string;
}

async function fetched(path: string, init: RequestInit = {}): Promise<Fetched> {
  const response = await fetch(`${serverUrl}/${path}`, init);
  return (await response.json()) as Fetched;
}

async function collect(): Promise<number> {
  const validate = new Ajv2020().compile(TASK.schema);
  const out = new LineFile(join(work, 'answers.jsonl'));
  let valid = 0;
  for (const id of batches) {
    const batch = await fetched(`batches/${id}`);
    const { body } = await fetch(`${serverUrl}/files/${batch.output_file_id}/content`);
    if (batch.status !== 'completed' || body === null) throw new Error(`${id} is ${batch.status}`);
    for await (const line of linesOf(body)) {
      const reply = JSON.parse(line);
      const answer = JSON.parse(reply.response.body.output[0].content[0].text);
      if (!validate(answer)) continue;
      valid += 1;
      await out.add(JSON.stringify({ id: reply.custom_id, ...answer }));
    }
  }
  await out.end();
  return valid;
}
