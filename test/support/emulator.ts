import type { LedgerEntry, RequestEntry } from '../../runner/emulator/ledger.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../runner/emulator/server.ts';
import type { Json, JsonObject } from '../../runner/ids.ts';

/** An emulator whose time stands still until a test moves it. */
export function startStill(scenario: Scenario = {}, options: EmulatorOptions = {}): Promise<Emulator> {
  return startEmulator({ clock: { mode: 'manual' }, scenario, ...options });
}

/** As the provider writes it; tests look at single fields. */
export interface WireBatch {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly errors: {
    readonly data: readonly { code: string; line: number | null; param: string | null }[];
  } | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly [name: string]: unknown;
}

export interface ResultLine {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly body: JsonObject } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export const JSONL = 'batch.jsonl';
export const HOUR_MS = 3_600_000;

export function call(
  emulator: Emulator,
  method: string,
  path: string,
  body?: string | FormData,
): Promise<Response> {
  return fetch(`${emulator.url}${path}`, {
    method,
    headers: { authorization: 'Bearer any' },
    ...(body === undefined ? {} : { body }),
  });
}

export function form(text: string, name = JSONL, fields: Readonly<Record<string, string>> = {}): FormData {
  const data = new FormData();
  data.append('file', new Blob([text]), name);
  for (const [field, value] of Object.entries({ purpose: 'batch', ...fields })) data.append(field, value);
  return data;
}

export async function upload(emulator: Emulator, text: string): Promise<string> {
  const response = await call(emulator, 'POST', '/files', form(text));
  return ((await response.json()) as { id: string }).id;
}

export function createBody(fileId: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    input_file_id: fileId,
    endpoint: '/v1/responses',
    completion_window: '24h',
    ...more,
  });
}

export async function create(emulator: Emulator, fileId: string, more = {}): Promise<WireBatch> {
  const response = await call(emulator, 'POST', '/batches', createBody(fileId, more));
  return (await response.json()) as WireBatch;
}

export async function poll(emulator: Emulator, id: string): Promise<WireBatch> {
  return (await (await call(emulator, 'GET', `/batches/${id}`)).json()) as WireBatch;
}

/** Uploads, creates, lets `ms` pass (an hour is enough for all that goes well) and looks. */
export async function runBatch(
  emulator: Emulator,
  text: string,
  ms = HOUR_MS,
  more = {},
): Promise<WireBatch> {
  const { id } = await create(emulator, await upload(emulator, text), more);
  emulator.clock.advance(ms);
  return poll(emulator, id);
}

/** The bytes of a result file; '' where there is none. */
export async function content(emulator: Emulator, fileId: string | null): Promise<string> {
  return fileId ? (await call(emulator, 'GET', `/files/${fileId}/content`)).text() : '';
}

export async function results(emulator: Emulator, fileId: string | null): Promise<ResultLine[]> {
  return parsedLines(await content(emulator, fileId));
}

export function parsedLines(text: string): ResultLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResultLine);
}

/** A request line; `body` is laid over a small one for `/v1/responses`. */
export function requestLine(
  customId: string,
  body: JsonObject = {},
  more: Readonly<Record<string, Json>> = {},
): string {
  return JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url: '/v1/responses',
    body: { model: 'gpt-5.4-mini', input: `Say something about ${customId}.`, ...body },
    ...more,
  });
}

export function requestLines(count: number, body: JsonObject = {}): string {
  return Array.from({ length: count }, (_, at) => `${requestLine(`r-${at + 1}`, body)}\n`).join('');
}

/** What a `/v1/responses` body says. */
export function answerText(line: ResultLine): string {
  const output = line.response?.body.output as unknown as { content: { text: string }[] }[];
  return output[0]?.content[0]?.text ?? '';
}

export async function chargedRequests(emulator: Emulator): Promise<RequestEntry[]> {
  const entries: LedgerEntry[] = await Array.fromAsync(emulator.ledger());
  return entries.filter((entry) => entry.kind === 'request').filter((entry) => entry.charged);
}
