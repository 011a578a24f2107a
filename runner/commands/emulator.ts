import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Emulator } from '../emulator/server.ts';
import { userError } from '../errors.ts';
import { isCode } from '../files.ts';
import { scenarioNamed } from './scenarios.ts';

export interface EmulatorCommand {
  readonly root: string;
  readonly json: boolean;
  readonly out: (text: string) => void;
  /** As it was typed; 0: any free port. */
  readonly port: string;
  /** A file from the root, or the name of one in `scenarios/`. */
  readonly scenario: string | null;
  /** From the root; null: a temporary folder. */
  readonly dir: string | null;
  /** Ends the command as Ctrl-C does. */
  readonly stop?: AbortSignal;
}

/**
 * `batchwright emulator`: serves until SIGINT or SIGTERM, and then exits with 0, since that is how it is meant to end.
 * @throws UserError where the port or the scenario cannot be used.
 */
export async function runEmulator(options: EmulatorCommand): Promise<number> {
  await using emulator = await start(options);
  // Before anybody learns that we are here: who starts us in the background may stop us at once.
  const stopping = stopped(options.stop);
  options.out(options.json ? `${JSON.stringify(asDocument(emulator))}\n` : asText(emulator, options));
  await stopping;
  return 0;
}

async function start({ root, port: typed, scenario, dir }: EmulatorCommand): Promise<Emulator> {
  const port = portOf(typed);
  const { startEmulator } = await import('../emulator/server.ts');
  const faults = scenario === null ? {} : { scenario: await scenarioNamed(root, scenario) };
  try {
    return await startEmulator({ port, ...faults, ...(dir === null ? {} : { dir: resolve(root, dir) }) });
  } catch (error) {
    if (!isCode(error, 'EADDRINUSE')) throw error;
    throw userError(
      'emulator-port',
      `port ${port} is taken by another program`,
      'Give another with --port, or 0 for any free one.',
    );
  }
}

function portOf(typed: string): number {
  const port = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
  if (port <= 65_535) return port;
  throw userError(
    'emulator-port',
    `--port must be a whole number from 0 to 65535, not ${JSON.stringify(typed)}`,
  );
}

function asDocument({ url, origin, port }: Emulator): Record<string, unknown> {
  return {
    version: 1,
    url,
    port,
    clock: `${origin}/__emulator/clock`,
    ledger: `${origin}/__emulator/ledger`,
  };
}

function asText({ url, origin }: Emulator, { scenario, dir }: EmulatorCommand): string {
  return `The emulator listens at ${url} and behaves like OpenAI's Batch API;
at ${origin} it is Anthropic's and Gemini's. Its answers are invented and cost nothing.

  Environment   OPENAI_BASE_URL=${url} OPENAI_API_KEY=any
  SDK           new OpenAI({ baseURL: '${url}', apiKey: 'any' })
                new Anthropic({ baseURL: '${origin}', apiKey: 'any' })
                new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: '${origin}' } })
  Clock         curl -d '{"advance_ms": 3600000}' ${origin}/__emulator/clock
  What it cost  curl ${origin}/__emulator/ledger
  Scenario      ${scenario ?? 'none: nothing goes wrong'}
  Kept in       ${dir ?? 'a temporary folder, gone at the end'}

Stop it with Ctrl-C.
`;
}

async function stopped(stop: AbortSignal | undefined): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  try {
    await Promise.race([
      once(process, 'SIGINT', { signal }),
      once(process, 'SIGTERM', { signal }),
      ...(stop === undefined ? [] : [aborted(stop)]),
    ]);
  } finally {
    // Takes the listeners away again; the waits that lost the race end with an error that nobody needs.
    done.abort();
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
