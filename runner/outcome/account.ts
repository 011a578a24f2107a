import { isAnswerCause } from './causes.ts';
import type { Classified } from './classify.ts';
import type { LinesRead, OutcomeClass, OutcomeSummary, Usage } from './outcome.ts';

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

export function addUsage(one: Usage, other: Usage | null): Usage {
  if (other === null) return one;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    // Journals of earlier versions do not have it.
    cacheWriteTokens: (one.cacheWriteTokens ?? 0) + (other.cacheWriteTokens ?? 0),
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  };
}

/** The sums of an outcomes file while it is being written. */
export interface Tally {
  readonly counts: Map<OutcomeClass, number>;
  readonly models: Map<string, number>;
  usage: Usage;
  wasted: Usage;
  /** Of lines whose items another batch had answered; a part of `wasted`. */
  duplicated: Usage;
  withoutUsage: number;
}

export function newTally(): Tally {
  return {
    counts: new Map(),
    models: new Map(),
    usage: NO_USAGE,
    wasted: NO_USAGE,
    duplicated: NO_USAGE,
    withoutUsage: 0,
  };
}

/**
 * Adds one row. Money is worked out from these sums: a row counts once, whatever became of it. `line`: the row before
 * it was held against other batches, which tells what may have been billed.
 */
export function count(tally: Tally, row: Classified, line: Classified = row): void {
  addOne(tally.counts, row.class);
  if (row.servedModel !== null || ANSWERED.has(line.class))
    addOne(tally.models, row.servedModel ?? 'unknown');
  if (row.usage === null) tally.withoutUsage += mayBeBilled(line) ? 1 : 0;
  else addTo(tally, row, row.usage);
}

export function summaryOf(tally: Tally, lines: LinesRead): OutcomeSummary {
  return {
    counts: Object.fromEntries(tally.counts),
    usage: tally.usage,
    withoutUsage: tally.withoutUsage,
    models: Object.fromEntries(tally.models),
    lines,
  };
}

/** A model stood behind these, whether it gave its name or not. */
export const ANSWERED: ReadonlySet<OutcomeClass> = new Set([
  'ok',
  'invalid_output',
  'truncated',
  'unknown_stop',
]);

/** Of these one cannot say: an answer came without its usage, or no line told what became of the request. */
const UNKNOWN_COST: ReadonlySet<OutcomeClass> = new Set([
  'ok',
  'invalid_output',
  'truncated',
  'unknown_stop',
  'missing',
  'unreadable',
  'lost',
  'conflict',
]);

/**
 * A request that failed with an error of its own is not billed (OpenAI batch guide: only completed ones are). One that a
 * model has worked at is, be it for a refusal.
 */
export function mayBeBilled(row: Pick<Classified, 'class' | 'cause'>): boolean {
  return UNKNOWN_COST.has(row.class) || isAnswerCause(row.cause);
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function addTo(tally: Tally, row: Classified, usage: Usage): void {
  tally.usage = addUsage(tally.usage, usage);
  if (row.class !== 'ok' && row.answer === null) tally.wasted = addUsage(tally.wasted, usage);
  if (row.class === 'duplicate') tally.duplicated = addUsage(tally.duplicated, usage);
}
