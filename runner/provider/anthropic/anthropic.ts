import { profileOf } from '../../spec/profiles.ts';
import { accountOf } from '../account.ts';
import { answered, type SdkAnswer } from '../calls.ts';
import { searchList } from '../list-walk.ts';
import type { ProviderOptions } from '../options.ts';
import type { BatchView, CreateOrder, CreateResult, Profile, Provider } from '../port.ts';
import { createResult, discardResult, pollResult } from '../results.ts';
import { ask } from './ask.ts';
import { batchPageOf, batchViewOf } from './batch.ts';
import { openWire, type Wire } from './client.ts';
import { create } from './create.ts';
import { decode } from './decode.ts';
import { download } from './download.ts';
import { encoder, wireEnvelope, withTokenCap } from './encode.ts';

/** Anthropic's Message Batches, through the official SDK. A batch's results are known by the batch's own id. */
export async function anthropicProvider(options: ProviderOptions): Promise<Provider> {
  const { name, settings, apiKey } = options;
  const account = accountOf(name, settings);
  const profile = profileOf('anthropic', settings.emulator);
  const wire = await openWire({ account, apiKey, workspace: settings.workspace }, options);
  const { batches } = wire.client.messages;
  return {
    profile,
    account,
    // The requests travel in the create.
    upload: async () => ({ kind: 'ok', value: { fileId: null } }),
    create: (order) => createOnce(wire, profile, order),
    find: (intents, since, mostPages) =>
      searchList((after) => listPage(wire, after), new Set(intents), since, mostPages),
    poll: async (batchId) =>
      pollResult(await wire.safely(`poll ${batchId}`, () => view(batches.retrieve(batchId)))),
    download: (batchId, path) => wire.safely(`download ${batchId}`, () => download(wire, batchId, path)),
    // Nothing lists the length of results.
    fileSize: async () => null,
    cancel: (batchId) => wire.safely(`cancel ${batchId}`, () => view(batches.cancel(batchId))),
    discard: async (batchId) =>
      discardResult(await wire.safely(`discard ${batchId}`, () => batches.delete(batchId))),
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

/** One request, ever: nothing makes a second create harmless, and only results would tell one from the other. */
async function createOnce(wire: Wire, profile: Profile, order: CreateOrder): Promise<CreateResult> {
  const call = await wire.once(`create ${order.intent}`, () => create(wire, profile, order));
  return createResult(call);
}

/** `BatchListParams.limit` of @anthropic-ai/sdk 1.14.0: 1 to 1000. */
const PAGE = 1000;

async function listPage(wire: Wire, after: string | null) {
  return wire.safely(`list ${after ?? 'newest'}`, async () => {
    // Not the SDK's pager: it takes a page without `data` for the end of the list.
    const query = { limit: PAGE, ...(after === null ? {} : { after_id: after }) };
    return answered(wire.client.get('/v1/messages/batches', { query }), (data, serverNow) => ({
      page: batchPageOf(data, serverNow),
      serverNow,
    }));
  });
}
