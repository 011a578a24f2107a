import { stat } from 'node:fs/promises';
import { newIntentId } from '../../runner/ids.ts';
import { openaiProvider } from '../../runner/provider/openai/openai.ts';

/** A program: uploads the file at argv[2] to the server at argv[3] and prints the most memory it took, in MB. */
const [path = '', baseUrl = ''] = process.argv.slice(2);
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
const { size } = await stat(path);
const call = await provider.upload({ intent: newIntentId(), path, bytes: size, name: 'big.jsonl' });
if (call.kind === 'failed') throw new Error(call.error.message);
console.log(Math.round(process.resourceUsage().maxRSS / 1024));
