import type { BatchCreateParams } from 'openai/resources/batches';
import { profileOf } from '../../spec/profiles.ts';
import { accountOf } from '../account.ts';
import { answered, type SdkAnswer } from '../calls.ts';
import { searchList } from '../list-walk.ts';
import type { ProviderOptions } from '../options.ts';
import type { BatchView, CreateOrder, CreateResult, Profile, Provider } from '../port.ts';
import { createResult, discardResult, pollResult } from '../results.ts';
import { ask } from './ask.ts';
import { batchPageOf, batchViewOf, INTENT_TAG } from './batch.ts';
import { openWire, type Wire } from './client.ts';
import { decode } from './decode.ts';
import { download, readFileSize } from './download.ts';
import { encoder, wireEnvelope, withTokenCap } from './encode.ts';
import { upload } from './upload.ts';

/** OpenAI's batch API, and servers of its shape, through the official SDK. */
export async function openaiProvider(options: ProviderOptions): Promise<Provider> {
  const { name, settings, apiKey } = options;
  const account = accountOf(name, settings);
  const profile = profileOf('openai', settings.emulator);
  const wire = await openWire(
    { account, apiKey, organization: settings.organization, project: settings.project },
    options,
  );
  const { client } = wire;
  return {
    profile,
    account,
    upload: (file) => wire.safely(`upload ${file.name}`, () => upload(wire, profile, file)),
    create: (order) => create(wire, profile, order),
    find: (intents, since, mostPages) =>
      searchList((after) => listPage(wire, after), new Set(intents), since, mostPages),
    poll: async (batchId) =>
      pollResult(await wire.safely(`poll ${batchId}`, () => view(client.batches.retrieve(batchId)))),
    download: (fileId, path) => wire.safely(`download ${fileId}`, () => download(wire, fileId, path)),
    fileSize: (fileId) => readFileSize(wire, fileId),
    cancel: (batchId) => wire.safely(`cancel ${batchId}`, () => view(client.batches.cancel(batchId))),
    discard: async (fileId) =>
      discardResult(await wire.safely(`discard ${fileId}`, () => client.files.delete(fileId))),
    ask: (order) => ask(wire, order),
    encoder,
    wireEnvelope,
    withTokenCap,
    decode,
  };
}

function view(answer: SdkAnswer): Promise<BatchView> {
  return answered(answer, batchViewOf);
}

/** One request, ever: nothing makes a second create harmless, so whoever is in doubt looks in the list. */
async function create(wire: Wire, profile: Profile, order: CreateOrder): Promise<CreateResult> {
  if (order.fileId === null) throw new RangeError(`${order.intent} has no input file`);
  const input_file_id = order.fileId;
  const call = await wire.once(`create ${order.intent}`, () =>
    view(
      wire.client.batches.create(
        {
          input_file_id,
          // One of the profile's endpoints.
          endpoint: order.endpoint as BatchCreateParams['endpoint'],
          completion_window: '24h',
          metadata: { ...order.tags, [INTENT_TAG]: order.intent },
        },
        { maxRetries: 0, timeout: Math.min(wire.timeoutMs, profile.createTimeoutMs) },
      ),
    ),
  );
  return createResult(call);
}

async function listPage(wire: Wire, after: string | null) {
  return wire.safely(`list ${after ?? 'newest'}`, async () => {
    // Not the SDK's pager: it takes a page without `data` for the end of the list.
    const query = { limit: 100, ...(after === null ? {} : { after }) };
    return answered(wire.client.get('/batches', { query }), (data, serverNow) => ({
      page: batchPageOf(data, serverNow),
      serverNow,
    }));
  });
}
