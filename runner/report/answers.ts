import type { AnswerReport } from './report.ts';

/** How often each value of each countable property was answered, in this run and in the one compared with. */
export interface CountedAnswers {
  /** The schema's properties with few values (enum, boolean), in its order. */
  readonly fields: readonly string[];
  readonly counts: readonly AnswerCount[];
  readonly before: {
    readonly run: number;
    readonly counts: readonly AnswerCount[];
    /** Keys answered in both runs, and those of them of which any property changed. */
    readonly keysInBoth: number;
    readonly changed: number;
    readonly moves: readonly AnswerMove[];
  } | null;
}

export interface AnswerCount {
  readonly field: string;
  /** As text: `true`, `billing`, `3`. */
  readonly value: string;
  readonly count: number;
}

export interface AnswerMove {
  readonly field: string;
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/**
 * Lays counted answers out by property, most frequent value first; a value that only the earlier run had stands
 * with 0, since a label that is gone is news. Null where no property can be counted.
 */
export function answerReport(counted: CountedAnswers): AnswerReport | null {
  if (counted.fields.length === 0) return null;
  const now = byField(counted.counts);
  const before = counted.before === null ? null : byField(counted.before.counts);
  return {
    fields: counted.fields.map((name) => ({
      name,
      values: valuesOf(now.get(name), before?.get(name), before !== null),
    })),
    before: comparison(counted.before),
  };
}

type Counts = ReadonlyMap<string, number>;

function byField(counts: readonly AnswerCount[]): ReadonlyMap<string, Counts> {
  const fields = new Map<string, Map<string, number>>();
  for (const { field, value, count } of counts) {
    const values = fields.get(field) ?? new Map<string, number>();
    fields.set(field, values.set(value, (values.get(value) ?? 0) + count));
  }
  return fields;
}

function valuesOf(now: Counts = new Map(), before: Counts = new Map(), compared: boolean) {
  return [...new Set([...now.keys(), ...before.keys()])]
    .map((value) => ({
      value,
      count: now.get(value) ?? 0,
      before: compared ? (before.get(value) ?? 0) : null,
    }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

function comparison(before: CountedAnswers['before']): AnswerReport['before'] {
  if (before === null) return null;
  const { run, keysInBoth, changed } = before;
  return { run, keysInBoth, changed, topMove: topMove(before.moves) };
}

/** Ties are settled by name, so that the same counts give the same report. */
function topMove(moves: readonly AnswerMove[]): AnswerMove | null {
  const order = (move: AnswerMove) => `${move.field}\u0000${move.from}\u0000${move.to}`;
  const [top] = [...moves].sort((a, b) => b.count - a.count || (order(a) < order(b) ? -1 : 1));
  return top === undefined || top.count === 0 ? null : top;
}
