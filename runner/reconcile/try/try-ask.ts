import { zstdCompressSync } from 'node:zlib';
import { digestOf, type IntentId, type JobName, wireId } from '../../ids.ts';
import type { StoredFile } from '../../manifest/manifest.ts';
import type { PickedRow } from '../../manifest/pick.ts';
import { type Price, synchronousUsd } from '../../manifest/price.ts';
import { mayBeBilled } from '../../outcome/account.ts';
import { type Classified, classify } from '../../outcome/classify.ts';
import type { OutcomeClass } from '../../outcome/outcome.ts';
import type { AnswerRules } from '../../outcome/validate.ts';
import type { Provider } from '../../provider/port.ts';
import type { TriedRow, TryResult } from '../../report/try-view.ts';
import type { LoadedJob } from '../../spec/job.ts';
import type { Store } from '../../store/port.ts';
import type { PassContext } from '../context.ts';
import { answerRules, recipeOf } from '../recipe.ts';

/** What became of one request. `mayBeBilled`: true where it may have cost something, whether that was told or not. */
export type Asked =
  | {
      readonly kind: 'answered';
      readonly line: string;
      readonly outcome: Classified;
      readonly mayBeBilled: boolean;
    }
  | { readonly kind: 'lost'; readonly message: string; readonly mayBeBilled: true }
  | { readonly kind: 'not_sent'; readonly message: string; readonly mayBeBilled: false }
  | { readonly kind: 'not_asked'; readonly mayBeBilled: false };

/**
 * The first row alone: what is wrong with key, model or parameters shows with it, and costs no more. Then the others
 * together, since a person waits.
 */
export async function askRows(
  ctx: PassContext,
  loaded: LoadedJob,
  provider: Provider,
  attempt: IntentId,
  rows: readonly PickedRow[],
): Promise<Asked[]> {
  const rules = answerRules({ spec: loaded.job }, recipeOf(loaded));
  const ask = (row: PickedRow, at: number) => askOne(provider, loaded, rules, attempt, row, at);
  const [head, ...rest] = rows;
  if (head === undefined) return [];
  const first = await ask(head, 0);
  if (!isWorthGoingOn(first) || ctx.stopping()) return [first, ...rest.map((): Asked => NOT_ASKED)];
  return [first, ...(await Promise.all(rest.map((row, at) => ask(row, at + 1))))];
}

const NOT_ASKED: Asked = { kind: 'not_asked', mayBeBilled: false };

/** These say something about all rows, or that the next one would fare no better. */
const TURNED_AWAY: ReadonlySet<OutcomeClass> = new Set(['invalid_request', 'account', 'rate_or_capacity']);

function isWorthGoingOn(first: Asked): boolean {
  return first.kind === 'answered' && !TURNED_AWAY.has(first.outcome.class);
}

async function askOne(
  provider: Provider,
  { job }: LoadedJob,
  rules: AnswerRules,
  attempt: IntentId,
  { body }: PickedRow,
  at: number,
): Promise<Asked> {
  const { endpoint, name } = job.model;
  const result = await provider.ask({ wireId: wireId(attempt, at), endpoint, model: name, body });
  switch (result.kind) {
    case 'answered': {
      const outcome = classify(provider.decode(endpoint, result.line), rules);
      return { kind: 'answered', line: result.line, outcome, mayBeBilled: mayBeBilled(outcome) };
    }
    case 'not_sent':
      return { kind: 'not_sent', message: result.error.message, mayBeBilled: false };
    case 'unknown':
      return { kind: 'lost', message: result.error.message, mayBeBilled: true };
    default:
      return result satisfies never;
  }
}

/** The lines as they came, kept before the journal is told of them. Null where there are none. */
export async function keepAnswers(
  store: Store,
  job: JobName,
  attempt: IntentId,
  asked: readonly Asked[],
): Promise<StoredFile | null> {
  const lines = asked.flatMap((each) => (each.kind === 'answered' ? [`${each.line}\n`] : []));
  if (lines.length === 0) return null;
  const bytes = zstdCompressSync(lines.join(''));
  const digest = digestOf(bytes);
  const name = `${job}/tries/${attempt}-${digest.slice(0, 16)}.jsonl.zst`;
  await store.putIfAbsent(name, { bytes });
  return { name, digest, bytes: bytes.length };
}

export function triedRow(
  key: string,
  asked: Asked = NOT_ASKED,
  before: string | null,
  price: Price,
): TriedRow {
  return { key, before, result: resultOf(asked, price) };
}

function resultOf(asked: Asked, price: Price): TryResult {
  switch (asked.kind) {
    case 'answered': {
      const { usage, servedModel: _, responseId: __, ...outcome } = asked.outcome;
      return {
        kind: 'answered',
        ...outcome,
        inputTokens: usage?.inputTokens ?? null,
        outputTokens: usage?.outputTokens ?? null,
        usd: usage === null ? null : synchronousUsd(usage, price),
      };
    }
    case 'lost':
    case 'not_sent':
      return { kind: asked.kind, message: asked.message };
    case 'not_asked':
      return { kind: 'not_asked' };
    default:
      return asked satisfies never;
  }
}
