import {
  CAPPED_BLANK,
  CONTEXT_FULL,
  EMPTY,
  HOLDS_FLOAT64,
  HOLDS_INT64,
  LANGUAGE_NOT_HELD,
  MISFIT,
  SEVERAL,
} from '../../outcome/causes.ts';
import type { OutcomeClass } from '../../outcome/outcome.ts';
import type { Job } from '../../spec/job.ts';
import { typedKinds } from '../../spec/storage.ts';
import { listed } from '../../spec/suggest.ts';

/** How rows have ended, as far as advice goes by it. */
export interface Ending {
  readonly class: OutcomeClass | 'set_aside';
  readonly cause: string;
  /** Every row that was tried ended so: then it is not the rows that are wrong. */
  readonly isEvery: boolean;
}

/** Pure: what a person can do about rows that ended so. */
export function advise(ending: Ending, job: Job): string {
  const { class: of, cause } = ending;
  const retry = `batchwright retry ${job.name} --class ${of}`;
  switch (of) {
    case 'set_aside':
      return 'mend the row at its source; the changed file is a new run, which sends only what is new';
    case 'invalid_output':
      return adviseInvalid(ending, job);
    case 'truncated':
      return adviseTruncated(cause, job);
    case 'unknown_stop':
      return `nobody here knows what this stop means: read the answers in held.csv; to pay for another try: ${retry}`;
    case 'invalid_request':
      return adviseRefusedRequest(ending);
    case 'refused':
      return 'for the compliance list; it is never sent again';
    case 'expired':
    case 'provider_error':
    case 'missing':
    case 'cancelled':
      return retry;
    case 'unreadable':
      return `downloaded again by itself; to pay for another try: ${retry}`;
    case 'lost':
      return `the provider has deleted the results; to pay for another try: ${retry}`;
    case 'conflict':
      return cause === SEVERAL
        ? `let the prompt ask for one answer, and read those that came in held.csv; to pay for another try: ${retry}`
        : 'two different answers came for one row: read both in the raw file';
    case 'rate_or_capacity':
    case 'account':
      return 'sent again when the account allows';
    case 'ok':
    case 'duplicate':
    case 'late':
      return '';
    default:
      return of satisfies never;
  }
}

function adviseInvalid({ cause, isEvery }: Ending, job: Job): string {
  if (cause.startsWith(MISFIT)) return adviseMisfit(cause, job);
  // Held by an edited check, they were not tried again at all.
  if (!isEvery)
    return `held, \`retry.invalid_output\` is ${job.retry.invalidOutput}: make the prompt or the schema clearer`;
  const what = cause === EMPTY ? 'every answer is empty' : 'every answer fails so';
  return `${what}: model, prompt and schema do not fit each other, and another try would fail too; mend them, and ask one row with \`batchwright try ${job.name}\``;
}

/** What costs nothing, and what costs as much as all rows. */
function adviseMisfit(cause: string, { sinks }: Job): string {
  if (!cause.endsWith(HOLDS_INT64) && !cause.endsWith(HOLDS_FLOAT64))
    return `the schema lets through what the column cannot hold: say the type there; where the schema is sent, that is a new question, and ${ALL_AGAIN}`;
  const typed = listed(typedKinds(sinks));
  return `a \`jsonl\` or \`csv\` sink${typed === '' ? '' : ` in place of ${typed}`} keeps every digit, and applies the answer at no cost; to ask for a string instead is a new question, and ${ALL_AGAIN}`;
}

const ALL_AGAIN = 'all rows are sent and paid for again';

function adviseTruncated(cause: string, { output }: Job): string {
  if (cause === CAPPED_BLANK)
    return 'a higher cap would buy more blanks: take another model, or say in the prompt what to write and when to stop';
  return `raise \`output.max_tokens\` (now ${output.maxTokens}), or allow one retry with \`retry.truncated.max_tokens\``;
}

/** Codes and words of providers for a request that is longer than the model takes. */
const TOO_LONG = /context_length|string_above_max|too (long|large)|exceeds the max|\b413\b/i;

function adviseRefusedRequest({ cause, isEvery }: Ending): string {
  if (cause === CONTEXT_FULL || TOO_LONG.test(cause))
    return 'shorten or drop the row, or take a model with a longer context window; it is never sent again unchanged';
  if (cause === LANGUAGE_NOT_HELD)
    return 'take a model that has the language, or drop the row; it is never sent again unchanged';
  return isEvery
    ? 'every request is refused so, so that the job is wrong and not its rows: mend model, endpoint, parameters or schema as the cause says'
    : 'shorten or drop the row; it is never sent again unchanged';
}
