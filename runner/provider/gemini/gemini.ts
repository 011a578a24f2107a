import type { IntentId } from '../../ids.ts';
import type { Endpoint } from '../../spec/job.ts';
import { profileOf } from '../../spec/profiles.ts';
import { accountOf } from '../account.ts';
import { type ListPage, searchList } from '../list-walk.ts';
import type { ProviderOptions } from '../options.ts';
import type { BatchView, CreateOrder, CreateResult, Profile, Provider } from '../port.ts';
import { createResult, pollResult } from '../results.ts';
import { ask } from './ask.ts';
import { batchPageOf, batchViewOf } from './batch.ts';
import { type Ask, openWire, type Wire } from './client.ts';
import { decode } from './decode.ts';
import { encoder, modelPath, wireEnvelope, withTokenCap } from './encode.ts';
import { discard, download, readFileSize } from './files.ts';
import { upload } from './upload.ts';

/**
 * Gemini's batch API (Developer API), always with an input file: requests that travel in the create come back in
 * another order and without their keys (python-genai#1886, #1909).
 */
export async function geminiProvider(options: ProviderOptions): Promise<Provider> {
  const { name, settings, apiKey } = options;
  const account = accountOf(name, settings);
  const profile = profileOf('gemini', settings.emulator);
  const wire = await openWire({ account, apiKey }, options);
  return {
    profile,
    account,
    upload: (file) => wire.safely(`upload ${file.name}`, () => upload(wire, file)),
    create: (order) => create(wire, profile, order),
    find: (intents, _since, mostPages) => find(wire, intents, mostPages),
    poll: async (batchId) =>
      pollResult(await wire.safely(`poll ${batchId}`, () => view(wire, { method: 'GET', path: batchId }))),
    download: (fileId, path) => download(wire, fileId, path),
    fileSize: (fileId) => readFileSize(wire, fileId),
    cancel: (batchId) => wire.safely(`cancel ${batchId}`, () => cancel(wire, batchId)),
    discard: (fileId) => discard(wire, fileId),
    ask: (order) => ask(wire, pathOf(order.model), order),
    encoder,
    wireEnvelope,
    withTokenCap,
    decode,
  };
}

async function view(wire: Wire, ask: Ask): Promise<BatchView> {
  const { value, serverNow } = await wire.ask(ask);
  return batchViewOf(value, serverNow);
}

/** One request, ever: "batch creation is not idempotent" (Gemini batch guide). */
async function create(wire: Wire, profile: Profile, order: CreateOrder): Promise<CreateResult> {
  if (order.fileId === null) throw new RangeError(`${order.intent} has no input file`);
  const { method, inputConfig } = createdBy(order.endpoint, order.fileId);
  const ask: Ask = {
    method: 'POST',
    path: `${pathOf(order.model)}:${method}`,
    body: JSON.stringify({ batch: { displayName: order.intent, inputConfig } }),
    timeoutMs: Math.min(wire.timeoutMs, profile.createTimeoutMs),
  };
  const call = await wire.once(`create ${order.intent}`, () => view(wire, ask));
  return createResult(call);
}

/** Two methods that spell the file's field in two ways: as @google/genai 3.3.0 sends them. */
function createdBy(endpoint: Endpoint, fileId: string) {
  return endpoint === 'embedContent'
    ? { method: 'asyncBatchEmbedContent', inputConfig: { file_name: fileId } }
    : { method: 'batchGenerateContent', inputConfig: { fileName: fileId } };
}

function pathOf(model: string): string {
  return modelPath(model).split('/').map(encodeURIComponent).join('/');
}

/** To the end of the list: nobody says in which order it comes, so that nothing less proves a batch absent. */
async function find(
  wire: Wire,
  intents: readonly IntentId[],
  mostPages?: number,
): ReturnType<Provider['find']> {
  const listPage: ListPage = (after) =>
    wire.safely(`list ${after ?? 'newest'}`, async () => {
      const query = { pageSize: '100', ...(after === null ? {} : { pageToken: after }) };
      const { value, serverNow } = await wire.ask({ method: 'GET', path: 'batches', query });
      return { page: batchPageOf(value, serverNow), serverNow };
    });
  return searchList(listPage, new Set(intents), null, mostPages);
}

/** The answer to a cancellation is empty. */
async function cancel(wire: Wire, batchId: string): Promise<BatchView> {
  await wire.ask({ method: 'POST', path: `${batchId}:cancel`, body: '{}' });
  return view(wire, { method: 'GET', path: batchId });
}
