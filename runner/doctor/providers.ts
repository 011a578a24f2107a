import { findingsWithoutHint, hintOf, UserError } from '../errors.ts';
import { priceOf } from '../manifest/price.ts';
import type { Account } from '../provider/port.ts';
import { useProxies } from '../provider/proxy.ts';
import { providerSettings } from '../provider/registry.ts';
import type { PassContext } from '../reconcile/context.ts';
import type { Diagnosis } from '../report/doctor-view.ts';
import { clockVerdict } from './clock.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Every provider that a job names: its key, the way to it, its clock, and the prices of its models. */
export async function diagnoseProviders(ctx: PassContext, env: Env): Promise<Diagnosis[]> {
  const names = [...new Set(ctx.repository.jobs.map(({ job }) => job.model.provider))].sort();
  const found = await Promise.all(names.map((name) => diagnoseProvider(ctx, name, env)));
  return found.flat();
}

async function diagnoseProvider(ctx: PassContext, name: string, env: Env): Promise<Diagnosis[]> {
  const part = `provider ${name}`;
  const { apiKeyEnv } = providerSettings(name, ctx.settings);
  const prices = await diagnosePrices(ctx, name, part);
  try {
    const provider = await ctx.provider(name);
    const key: Diagnosis = {
      part,
      state: 'good',
      message: `${keyText(provider.account, apiKeyEnv)}; account ${provider.account.id} at ${provider.account.baseUrl}`,
      next: null,
    };
    // One page of the list: it needs the key, shows the account, and costs nothing.
    const before = ctx.now();
    const listed = await provider.find([], before);
    const proxy = useProxies(env);
    const way = proxy === null ? '' : ` (${proxy})`;
    if (listed.kind === 'failed') {
      const { message, about } = listed.error;
      return [
        key,
        { part, state: 'bad', message: `it does not answer${way}: ${message}`, next: WAYS[about] },
        ...prices,
      ];
    }
    return [
      key,
      { part, state: 'good', message: `it answers, and takes the key${way}`, next: null },
      { part, ...clockVerdict(ctx.now(), listed.value.serverNow) },
      ...prices,
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const next = hintOf(error.findings);
    return [{ part, state: 'bad', message: findingsWithoutHint(error.findings), next }, ...prices];
  }
}

function keyText({ emulator }: Account, apiKeyEnv: string): string {
  return emulator ? 'it is the emulator, which needs no key' : `the key is in ${apiKeyEnv}`;
}

const WAYS = {
  network: 'look at the network, at the proxy (HTTPS_PROXY) and at certificates (NODE_EXTRA_CA_CERTS)',
  account: "look at the key, and at the provider's billing and limits pages",
  request: 'look at `base_url` in batchwright.yaml',
  capacity: 'nothing is wrong here; try again in a minute',
  server: 'nothing is wrong here; try again in a minute',
} as const;

async function diagnosePrices(ctx: PassContext, name: string, part: string): Promise<Diagnosis[]> {
  const models = ctx.repository.jobs.filter(({ job }) => job.model.provider === name);
  const each = new Map(models.map(({ job }) => [job.model.name, job.model]));
  return Promise.all(
    [...each.values()].map(async (model): Promise<Diagnosis> => {
      const { batchFactor } = ctx.codec(name).profile;
      const price = await priceOf({ model, settings: ctx.settings, batchFactor, now: ctx.now() });
      if (price === null)
        return {
          part,
          state: 'doubtful',
          message: `nobody here knows the price of ${model.name}: a job with a budget will not run`,
          next: `set \`models."${name}/${model.name}".price\` in batchwright.yaml`,
        };
      const usd = (amount: number) => `$${amount}`;
      const message = `${model.name} costs ${usd(price.inputUsdPerMtok * price.batchFactor)} and ${usd(price.outputUsdPerMtok * price.batchFactor)} a million tokens in and out, as a batch (prices of ${price.pricesOf})`;
      return { part, state: 'good', message, next: null };
    }),
  );
}
