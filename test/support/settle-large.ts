import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { classify, MISSING } from '../../runner/outcome/classify.ts';
import { openaiProvider } from '../../runner/provider/openai/openai.ts';
import { settleRaw } from '../../runner/reconcile/collect/settle.ts';
import { downloadPath, keepRaw } from '../../runner/reconcile/raw.ts';
import { localStore } from '../../runner/store/local.ts';
import { INTENT } from './raw-files.ts';

/**
 * A program: downloads the result file of the server at argv[3] into the folder argv[2], keeps it, and settles it
 * against argv[4] items. Prints the sums and the most memory it took, in MB.
 */
const [folder = '', baseUrl = '', items = '0'] = process.argv.slice(2);
const provider = await openaiProvider({
  name: 'openai',
  settings: {
    kind: 'openai',
    baseUrl,
    apiKeyEnv: 'X',
    account: null,
    organization: null,
    project: null,
    workspace: null,
    emulator: true,
  },
  apiKey: 'emulator',
});
const work = join(folder, 'work');
mkdirSync(work);
const store = localStore(join(folder, 'store'));
const raw = await keepRaw(provider, store, { kind: 'output', id: 'file-1' }, 'job/runs/1', work);
const settled = await settleRaw({
  rawFiles: [{ path: downloadPath(work, 'output'), download: 0, isLast: true }],
  intent: INTENT,
  ordinals: [[0, Number(items) - 1]],
  decode: (line) => provider.decode('/v1/responses', line),
  classify: (reply) => classify(reply, { outputKind: 'text', check: null }),
  absent: () => () => MISSING,
  work,
});
console.log(
  JSON.stringify({
    lines: raw.lines,
    bytes: raw.bytes,
    missing: settled.absent.rows,
    counts: settled.summary.counts,
    outcomesPath: settled.outcomesPath,
    megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
