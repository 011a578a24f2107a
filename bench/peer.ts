import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Handlebars from 'handlebars';
import { measured, PhaseClock, printResult, readOrder } from './contestant.ts';
import { SHARD_REQUESTS, TASK } from './task.ts';

/**
 * The task with the AI SDK's batches, which take an array of requests and give an iterator of results. They carry no
 * schema, so that each request is some 500 bytes shorter than the others'.
 */
interface BatchApi {
  experimental_startBatch(order: { provider: unknown; requests: readonly unknown[] }): Promise<unknown>;
  experimental_getBatchStatus(which: { provider: unknown; batch: unknown }): Promise<{ status: string }>;
  experimental_getBatchResults(which: {
    provider: unknown;
    batch: unknown;
  }): AsyncIterable<{ readonly id: string; readonly text: string }>;
}

interface ProviderApi {
  createOpenAI(options: { apiKey: string; baseURL: string }): unknown;
}

// By variables: the packages are installed on demand, and the checks of the repository must do without them.
const [core, openai] = ['ai', '@ai-sdk/openai'];
const api = (await import(core as string)) as BatchApi;
const { createOpenAI } = (await import(openai as string)) as ProviderApi;

const { rowsFile, serverUrl, work } = readOrder();
const provider = createOpenAI({ apiKey: 'bench', baseURL: serverUrl });
const clock = new PhaseClock();
const requests = renderRequests();
clock.mark('freeze');
const batches: unknown[] = [];
for (let from = 0; from < requests.length; from += SHARD_REQUESTS) {
  const shard = requests.slice(from, from + SHARD_REQUESTS);
  batches.push(await api.experimental_startBatch({ provider, requests: shard }));
}
clock.mark('submit');
const ok = await collect();
clock.mark('collect');
printResult(ok, measured(clock.phases));

function renderRequests(): unknown[] {
  const user = Handlebars.compile(TASK.user, { noEscape: true, strict: true });
  const lines = readFileSync(rowsFile, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const row = JSON.parse(line);
      return {
        id: row.id,
        type: 'text',
        model: TASK.model,
        instructions: TASK.system,
        prompt: user(row),
        maxOutputTokens: TASK.maxOutputTokens,
      };
    });
}

async function collect(): Promise<number> {
  const validate = new Ajv2020().compile(TASK.schema);
  const out = createWriteStream(join(work, 'answers.jsonl'));
  let valid = 0;
  for (const batch of batches) {
    const { status } = await api.experimental_getBatchStatus({ provider, batch });
    if (status === 'pending') throw new Error('the server ends batches at once');
    for await (const item of api.experimental_getBatchResults({ provider, batch })) {
      const answer = JSON.parse(item.text);
      if (!validate(answer)) continue;
      valid += 1;
      if (!out.write(`${JSON.stringify({ id: item.id, ...answer })}\n`)) await once(out, 'drain');
    }
  }
  out.end();
  await once(out, 'finish');
  return valid;
}
