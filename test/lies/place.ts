import type { ModelRequest, ProviderName } from '../fake/model.ts';

/** The model that a job asks at each provider. */
const MODELS: Readonly<Record<ProviderName, string>> = {
  openai: 'openai/gpt-5.4-mini',
  anthropic: 'anthropic/claude-haiku-4-5',
  gemini: 'gemini/gemini-3.8-flash',
};

/** A row of the source: its answer can be told from its text, so that an answer at the wrong row shows. */
export interface Ticket {
  readonly id: string;
  readonly text: string;
}

export function makeTickets(count: number): Ticket[] {
  return Array.from({ length: count }, (_, at) => ({ id: `T-${at}`, text: `wheel number ${at} is bent` }));
}

/** What the model says of a request: a part of its text and nothing else. */
export function answerTicket({ prompt }: ModelRequest): string {
  return JSON.stringify({ note: /wheel number \d+/.exec(prompt)?.[0] ?? 'nothing', sure: true });
}

/** The note that the row with this id must have. */
export function noteFor(id: string): string {
  return `wheel number ${id.slice('T-'.length)}`;
}

/** A repository of one job at a provider of the fake. @param real counts its money, as at a provider that is none of ours */
export function placeFiles(
  provider: ProviderName,
  baseUrl: string,
  { job = '', rows, real = false }: { job?: string; rows: readonly Ticket[]; real?: boolean },
): Record<string, string> {
  const flags = real ? '' : ', emulator: true';
  return {
    'batchwright.yaml': `apiVersion: batchwright/v1\nproviders:\n  ${provider}: { kind: ${provider}, base_url: "${baseUrl}", api_key_env: TEST_KEY, account: test${flags} }\n`,
    'jobs/tickets.yaml': `apiVersion: batchwright/v1\nname: tickets\nowner: support\nmodel: ${MODELS[provider]}\ninput: { files: data/tickets.jsonl, key: id }\nprompt: tickets\noutput: { schema: note.schema.json, max_tokens: 200 }\n${job}`,
    'prompts/tickets/user.hbs': 'Note what is bent: {{text}}\n',
    'schemas/note.schema.json': JSON.stringify({
      type: 'object',
      additionalProperties: false,
      required: ['note', 'sure'],
      properties: { note: { type: 'string' }, sure: { type: 'boolean' } },
    }),
    'data/tickets.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  };
}
