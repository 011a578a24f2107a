import { dig, digText, type Json, listOf, parseText } from './json.ts';
import type { ProviderName } from './model.ts';
import type { Fake } from './server.ts';

/** What came back over the wire. `broken` is why the connection broke, and then the text is what came before. */
export type Got = { status: number; headers: Headers; text: string; json: unknown; broken: string | null };

/** A plain client of one provider, for the tests of the fake itself. */
export type Driver = {
  create(prompts: readonly string[]): Promise<Got>;
  look(id: string): Promise<Got>;
  list(): Promise<Got>;
  cancel(id: string): Promise<Got>;
  /** The result files that a batch names, as paths. */
  findResults(shown: unknown): string[];
  download(path: string): Promise<Got>;
  /** The size look; null where the provider has none. */
  size(path: string): Promise<Got> | null;
  /** Deletes a result file; at Anthropic, the batch with its results. */
  drop(path: string): Promise<Got>;
};

/** Asks once, and takes what comes. */
export async function ask(url: string, init: RequestInit = {}): Promise<Got> {
  let got: Got = { status: 0, headers: new Headers(), text: '', json: undefined, broken: null };
  try {
    const answer = await fetch(url, init);
    got = { ...got, status: answer.status, headers: answer.headers };
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) got.text += decoder.decode(piece, { stream: true });
    return { ...got, json: parseText(got.text) };
  } catch (fault) {
    return { ...got, broken: String((fault as Error).cause ?? fault) };
  }
}

/** The id of a batch as an answer has it. */
export function readId(got: Got): string {
  return (digText(got.json, 'id') ?? digText(got.json, 'name') ?? '').replace('batches/', '');
}

/** The status word of a batch as its provider shows it. */
export function readState(shown: unknown): unknown {
  return dig(shown, 'status') ?? dig(shown, 'processing_status') ?? dig(shown, 'metadata', 'state');
}

/** The lines of a text of JSON lines; what is no JSON is undefined. */
export function readLines(text: string): (Json | undefined)[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => parseText(line) as Json | undefined);
}

/** A client of a provider of a fake. */
export function drive(fake: Fake, provider: ProviderName): Driver {
  return { openai: driveOpenai, anthropic: driveAnthropic, gemini: driveGemini }[provider](fake);
}

const JSON_TYPE = { 'content-type': 'application/json' };

function driveOpenai({ baseUrls: { openai: base } }: Fake): Driver {
  const file = (path: string) => path.replace('/content', '');
  return {
    async create(prompts) {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob([prompts.map(writeOpenaiLine).join('')]), 'rows.jsonl');
      const input = digText((await ask(`${base}/files`, { method: 'POST', body: form })).json, 'id');
      const endpoint = '/v1/chat/completions';
      const body = JSON.stringify({ input_file_id: input, endpoint, completion_window: '24h' });
      return ask(`${base}/batches`, { method: 'POST', body });
    },
    look: (id) => ask(`${base}/batches/${id}`),
    list: () => ask(`${base}/batches?limit=2`),
    cancel: (id) => ask(`${base}/batches/${id}/cancel`, { method: 'POST' }),
    findResults: (shown) =>
      ['output_file_id', 'error_file_id']
        .map((name) => digText(shown, name) ?? '')
        .filter((id) => id !== '')
        .map((id) => `${base}/files/${id}/content`),
    download: (path) => ask(path),
    size: (path) => ask(file(path)),
    drop: (path) => ask(file(path), { method: 'DELETE' }),
  };
}

function writeOpenaiLine(prompt: string, index: number): string {
  const body = { model: 'm', messages: [{ role: 'user', content: prompt }] };
  return `${JSON.stringify({ custom_id: `k${index}`, method: 'POST', url: '/v1/chat/completions', body })}\n`;
}

function driveAnthropic({ baseUrls: { anthropic } }: Fake): Driver {
  const base = `${anthropic}/v1/messages/batches`;
  return {
    create(prompts) {
      const requests = prompts.map((content, index) => ({
        custom_id: `k${index}`,
        params: { model: 'm', max_tokens: 50, messages: [{ role: 'user', content }] },
      }));
      return ask(base, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ requests }) });
    },
    look: (id) => ask(`${base}/${id}`),
    list: () => ask(`${base}?limit=2`),
    cancel: (id) => ask(`${base}/${id}/cancel`, { method: 'POST' }),
    findResults: (shown) => listOf(dig(shown, 'results_url')).map(String),
    download: (path) => ask(path),
    size: () => null,
    drop: (path) => ask(path.replace('/results', ''), { method: 'DELETE' }),
  };
}

function driveGemini({ baseUrls: { gemini } }: Fake): Driver {
  const base = `${gemini}/v1beta`;
  const headers = { 'x-goog-api-key': 'k' };
  return {
    async create(prompts) {
      const begun = await ask(`${gemini}/upload/v1beta/files`, { method: 'POST', headers, body: '{}' });
      const finish = { ...headers, 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' };
      const body = prompts.map(writeGeminiLine).join('');
      const url = begun.headers.get('x-goog-upload-url') ?? '';
      const file = (await ask(url, { method: 'POST', headers: finish, body })).json;
      const batch = { displayName: 'tag', inputConfig: { fileName: dig(file, 'file', 'name') } };
      const path = `${base}/models/m:batchGenerateContent`;
      return ask(path, { method: 'POST', headers, body: JSON.stringify({ batch }) });
    },
    look: (id) => ask(`${base}/batches/${id}`, { headers }),
    list: () => ask(`${base}/batches?pageSize=2`, { headers }),
    cancel: (id) => ask(`${base}/batches/${id}:cancel`, { method: 'POST', headers }),
    findResults: (shown) =>
      listOf(dig(shown, 'metadata', 'output', 'responsesFile')).map((name) => `${base}/${name}`),
    download: (path) => ask(`${path}:download?alt=media`, { headers }),
    size: (path) => ask(path, { headers }),
    drop: (path) => ask(path, { method: 'DELETE', headers }),
  };
}

function writeGeminiLine(prompt: string, index: number): string {
  const request = { contents: [{ role: 'user', parts: [{ text: prompt }] }] };
  return `${JSON.stringify({ key: `k${index}`, request })}\n`;
}
