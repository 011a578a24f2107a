import { repository, TICKETS } from './world.ts';

/** A kind of provider, and the model that a job asks there. */
export interface At {
  readonly kind: string;
  readonly model: string;
}

export const EVERY_KIND: readonly At[] = [
  { kind: 'openai', model: 'openai/gpt-5.4-mini' },
  { kind: 'gemini', model: 'gemini/gemini-3.8-flash' },
  { kind: 'anthropic', model: 'anthropic/claude-haiku-4-5' },
];

const SETTINGS = `apiVersion: batchwright/v1
providers:
  openai: { kind: openai, base_url: EMULATOR, api_key_env: TEST_KEY, account: test, emulator: true }
  anthropic: { kind: anthropic, base_url: EMULATOR_HOST, api_key_env: TEST_KEY, account: test, emulator: true }
  gemini: { kind: gemini, base_url: EMULATOR_HOST, api_key_env: TEST_KEY, account: test, emulator: true }
`;

/** The job of eight tickets, at any provider by its `model` alone. */
export function repositoryAt(
  model: string,
  job = '',
  rows: readonly object[] = TICKETS,
): Record<string, string> {
  const files = repository(job, rows);
  return { ...files, 'batchwright.yaml': SETTINGS, ...jobAt(files, model) };
}

/** The one line that moves a job. */
export function jobAt(files: Readonly<Record<string, string>>, model: string): Record<string, string> {
  const job = files['jobs/tickets.yaml'] ?? '';
  return { 'jobs/tickets.yaml': job.replace(/^model: .*$/m, `model: ${model}`) };
}
