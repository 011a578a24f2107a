import { stat } from 'node:fs/promises';
import { newIntentId } from '../../runner/ids.ts';
import { anthropicProvider } from '../../runner/provider/anthropic/anthropic.ts';

/** A program: creates a batch of the lines at argv[2] at the server at argv[3] and prints the most memory it took, in MB. */
const [path = '', baseUrl = ''] = process.argv.slice(2);
const provider = await anthropicProvider({
  name: 'anthropic',
  settings: {
    kind: 'anthropic',
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
const { size } = await stat(path);
const created = await provider.create({
  intent: newIntentId(),
  fileId: null,
  input: { path, bytes: size },
  endpoint: '/v1/messages',
  model: 'claude-haiku-4-5',
  tags: {},
});
if (created.kind !== 'accepted') throw new Error(created.error.message);
console.log(Math.round(process.resourceUsage().maxRSS / 1024));
