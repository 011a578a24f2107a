import {
  CAPPED,
  CAPPED_BLANK,
  CONTEXT_FULL,
  FILTERED,
  LANGUAGE_NOT_HELD,
  REFUSED_BY_MODEL,
  SEVERAL,
  UNKNOWN_STOP,
} from './causes.ts';
import type { Outcome, OutcomeClass, Reply, ReplyResult, Usage } from './outcome.ts';
import { type AnswerRules, validateMessages } from './validate.ts';
import { words } from './words.ts';

/** An outcome before it is known whose it is. */
export type Classified = Omit<Outcome, 'ordinal'>;

type Answer = Extract<ReplyResult, { kind: 'answer' }>;
type Failure = Extract<ReplyResult, { kind: 'error' }>;

/** What a reply amounts to. Pure and total: every reply, however broken, has exactly one class. */
export function classify(reply: Reply, rules: AnswerRules): Classified {
  const { result } = reply;
  switch (result.kind) {
    case 'answer':
      return answered(result, rules);
    case 'error':
      return failed(result);
    case 'malformed':
      return { ...BLANK, class: 'unreadable', cause: UNREADABLE, detail: words(result.detail) };
    default:
      return result satisfies never;
  }
}

const BLANK = {
  detail: null,
  answer: null,
  said: null,
  usage: null,
  servedModel: null,
  responseId: null,
} satisfies Partial<Classified>;

/** The cause of a line that names our request and says nothing that can be understood. */
export const UNREADABLE = 'unreadable reply';

/** An ordinal that no line of two complete downloads names. */
export const MISSING: Classified = { ...BLANK, class: 'missing', cause: 'in neither result file' };

/** Different lines for one ordinal inside one batch. Neither can be trusted; both may have been billed. */
export function conflictOf(classes: readonly OutcomeClass[], usage: Usage | null): Classified {
  const cause = 'different lines for one request';
  const detail = `${classes.length} ${cause}: ${classes.toSorted().join(', ')}`;
  return { ...BLANK, class: 'conflict', cause, detail, usage };
}

/**
 * The stop reason comes before everything that can be read: a cut or filtered answer may well be valid JSON
 * (mastra-ai/mastra#24442). A refusal comes before the token cap, since a higher cap would only buy more of it.
 */
function answered(answer: Answer, rules: AnswerRules): Classified {
  const base = {
    ...BLANK,
    usage: answer.usage,
    servedModel: name(answer.servedModel),
    responseId: name(answer.responseId),
  };
  const judged = { ...base, ...judgedOf(answer, rules) };
  return judged.class === 'ok' ? judged : { ...judged, said: saidIn(answer) };
}

type Judged = Pick<Classified, 'class' | 'cause' | 'detail'> & Partial<Pick<Classified, 'answer'>>;

function judgedOf(answer: Answer, rules: AnswerRules): Judged {
  if (answer.stop === 'filter') return filtered(answer);
  if (answer.refusal !== null) {
    return { class: 'refused', cause: REFUSED_BY_MODEL, detail: words(answer.refusal) };
  }
  if (answer.stop === 'complete') return validated(answer.texts, rules);
  return unfinished(answer, answer.stop);
}

/** Enough to judge an answer by; the raw file has it whole. */
const MOST_SAID = 2_000;

/** The model's words, whatever they are worth: a person who reads a held row has nothing else to go by. */
function saidIn({ texts, refusal }: Answer): string | null {
  const text = texts.join('\n\n');
  const said = text.trim() === '' ? refusal : text;
  return said === null || said.trim() === '' ? null : words(said, MOST_SAID);
}

function filtered(answer: Answer): Judged {
  return {
    class: 'refused',
    cause: FILTERED,
    detail: words(answer.refusal ?? answer.providerReason),
  };
}

function validated(texts: readonly string[], rules: AnswerRules): Judged {
  const result = validateMessages(texts, rules);
  switch (result.kind) {
    case 'ok':
      return { class: 'ok', cause: 'ok', detail: null, answer: result.answer };
    case 'several':
      return {
        class: 'conflict',
        cause: SEVERAL,
        detail: `${result.count} of its messages are valid answers`,
      };
    case 'invalid':
      return { class: 'invalid_output', cause: words(result.cause), detail: wordsOrNull(result.detail) };
    default:
      return result satisfies never;
  }
}

function unfinished(answer: Answer, stop: Exclude<Answer['stop'], 'complete' | 'filter'>): Judged {
  switch (stop) {
    case 'token_cap':
      return { class: 'truncated', cause: isBlank(answer) ? CAPPED_BLANK : CAPPED, detail: spent(answer) };
    // The same request would stop at the same place: it is never sent again.
    case 'context_window':
      return { class: 'invalid_request', cause: CONTEXT_FULL, detail: spent(answer) };
    case 'language':
      return { class: 'invalid_request', cause: LANGUAGE_NOT_HELD, detail: words(answer.providerReason) };
    case 'tool':
      return {
        class: 'invalid_output',
        cause: 'called a tool instead of answering',
        detail: words(answer.providerReason),
      };
    case 'unknown':
      // Not `ok`, however whole it looks: nobody knows what was left out, nor whether another try would mend it.
      return { class: 'unknown_stop', cause: UNKNOWN_STOP, detail: words(answer.providerReason) };
    default:
      return stop satisfies never;
  }
}

/** Something was said, and it is nothing: what reasoning has used up is another matter. */
function isBlank({ texts }: Answer): boolean {
  const text = texts.join('');
  return text !== '' && text.trim() === '';
}

/** Reasoning can use up the whole cap; then a blank answer is no riddle. */
function spent({ usage, providerReason }: Answer): string {
  if (usage === null) return words(providerReason);
  const reasoning = usage.reasoningTokens > 0 ? `, ${usage.reasoningTokens} of them for reasoning` : '';
  return words(`${providerReason} after ${usage.outputTokens} output tokens${reasoning}`);
}

function failed(failure: Failure): Classified {
  const base = { ...BLANK, usage: failure.usage, detail: words(failure.message) };
  if (failure.unrun === 'expired') return { ...base, class: 'expired', cause: 'not run within the window' };
  if (failure.unrun === 'cancelled') return { ...base, class: 'cancelled', cause: 'cancelled before it ran' };
  return { ...base, class: classOfFailure(failure), cause: causeOf(failure) };
}

/** What the provider's words say of money, room and content counts for more than the status they came with. */
function classOfFailure({ about, status }: Failure): OutcomeClass {
  switch (about) {
    case 'content':
      return 'refused';
    case 'account':
      return 'account';
    case 'capacity':
      return 'rate_or_capacity';
    case 'request':
      return classOfStatus(status) ?? 'invalid_request';
    case 'server':
      return classOfStatus(status) ?? 'provider_error';
    default:
      return about satisfies never;
  }
}

/** 408, 409 and 425 are about the moment and not about the request. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 425]);

function classOfStatus(status: number | null): OutcomeClass | null {
  if (status === null || status < 400) return null;
  if (status === 429 || status === 529) return 'rate_or_capacity';
  if (status === 401 || status === 402 || status === 403) return 'account';
  return status >= 500 || TRANSIENT.has(status) ? 'provider_error' : 'invalid_request';
}

/** `HTTP 400 context_length_exceeded`, `request_timeout`, or the pattern of the provider's words where it gave no code. */
function causeOf({ status, code, message }: Failure): string {
  const http = status === null || status < 400 ? '' : `HTTP ${status}`;
  if (code !== null) return words(`${http} ${code}`.trim(), 100);
  return (
    words(`${http} ${status !== null && status >= 500 ? '' : patternOf(message)}`.trim(), 100) || 'error'
  );
}

/** Messages that differ only in what they quote, in ids and in figures become one. */
function patternOf(message: string): string {
  // Cut first: the patterns below take quadratic time on a hostile megabyte.
  const first = message.slice(0, 300).split(/(?<=[.!?])\s/, 1)[0] ?? '';
  return first.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, '…').replaceAll(/[\w-]*\d[\w-]*/g, '#');
}

function wordsOrNull(text: string | null): string | null {
  return text === null ? null : words(text);
}

function name(text: string | null): string | null {
  return text === null ? null : words(text, 200);
}
