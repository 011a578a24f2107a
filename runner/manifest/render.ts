import type { Finding } from '../errors.ts';
import type { LoadedJob } from '../spec/job.ts';
import type { CompiledPrompts } from '../spec/prompt.ts';
import { compilePrompts } from '../spec/prompt.ts';
import { PromptError } from '../spec/prompt-values.ts';
import { didYouMean, listed } from '../spec/suggest.ts';
import type { EncodeBody, Messages } from './manifest.ts';

export type RenderedRequest =
  | { readonly ok: true; readonly messages: Messages; readonly body: string }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/** Turns a row into what is sent. */
export interface Renderer {
  readonly prompts: CompiledPrompts;
  messages(value: Readonly<Record<string, unknown>>): Messages;
  request(value: Readonly<Record<string, unknown>>): RenderedRequest;
}

/**
 * Columns under `neverSend` are taken out of the row before any template sees it, so that `{{json this}}` cannot
 * carry them either.
 * @throws UserError where a template cannot be used.
 */
export function rendererOf(
  loaded: Pick<LoadedJob, 'prompts'>,
  encode: EncodeBody,
  neverSend: readonly string[],
): Renderer {
  const prompts = compilePrompts(loaded.prompts);
  const held = new Set(neverSend.map((column) => column.toLowerCase()));
  const messages = (value: Readonly<Record<string, unknown>>) =>
    prompts.render(held.size === 0 ? value : without(value, held));
  return {
    prompts,
    messages,
    request(value) {
      try {
        const rendered = messages(value);
        return { ok: true, messages: rendered, body: withoutLineSeparators(encode(rendered)) };
      } catch (error) {
        return rowProblem(error);
      }
    },
  };
}

/** Templates that ask for a column which the settings hold back. */
export function heldBackFindings(prompts: CompiledPrompts, neverSend: readonly string[]): Finding[] {
  const held = new Set(neverSend.map((column) => column.toLowerCase()));
  return prompts.paths
    .filter(({ name }) => held.has(name.toLowerCase()))
    .map(({ name, file, line, column, length, source }) => ({
      level: 'error',
      code: 'never-send',
      message: `\`${name}\` may not be sent: policy.never_send in the settings names it`,
      hint: 'Take it out of the template.',
      ...{ file, line, column, length, source },
    }));
}

/** Columns that the job names and the input does not have. */
export function missingColumns(
  field: string,
  names: readonly string[],
  columns: readonly string[],
): Finding[] {
  return names
    .filter((name) => !columns.includes(name))
    .map((name) => ({
      level: 'error',
      code: 'unknown-column',
      message: `${field}: the input has no column \`${name}\``,
      hint: didYouMean(name, columns) ?? `It has ${listed(columns)}.`,
    }));
}

function without(value: Readonly<Record<string, unknown>>, held: ReadonlySet<string>) {
  // As entries: a column named `__proto__` must stay a column.
  return Object.fromEntries(Object.entries(value).filter(([name]) => !held.has(name.toLowerCase())));
}

/**
 * Readers exist that take these two for line ends (nodejs/node#62785); in JSON they can only stand inside strings,
 * where the escape means the same.
 */
function withoutLineSeparators(body: string): string {
  if (!body.includes('\u2028') && !body.includes('\u2029')) return body;
  return body.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** What is the row's fault becomes its problem; anything else is a fault of ours and ends the command. */
function rowProblem(error: unknown): RenderedRequest {
  if (error instanceof PromptError) return { ok: false, code: 'prompt-failed', detail: error.message };
  // V8's words for a string beyond half a gigabyte.
  if (error instanceof RangeError && error.message === 'Invalid string length') {
    return {
      ok: false,
      code: 'request-too-large',
      detail: 'makes a request that is too long for any provider',
    };
  }
  throw error;
}
