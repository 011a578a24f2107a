import type { Counts, View } from './batch.ts';
import type { Telling } from './contract.ts';
import type { CountsTale, Lie, PollLie, SizeLie } from './lies.ts';

/** How the truth is told at a moment. */
export function tellTruth(now: number): Telling {
  return { at: now, bend: (view) => view, size: (bytes) => bytes, hides: () => false, act: true };
}

/** How a lie about a state, a list, a size or a deed is told; other lies are told with the finished answer. */
export function tellLie(lie: Lie, now: number): Telling {
  const truth = tellTruth(now);
  const { what } = lie;
  switch (what.kind) {
    case 'counts':
    case 'word':
    case 'phase':
    case 'no_results':
      return { ...truth, bend: (view) => (concerns(lie, view) ? bendView(view, what) : view) };
    case 'lag':
      return { ...truth, at: now - what.ms };
    case 'size':
      return { ...truth, size: (bytes) => bendSize(bytes, what.tale) };
    case 'hidden':
      return { ...truth, hides: ({ nth }) => lie.batch === undefined || lie.batch === nth };
    case 'ignored':
      return { ...truth, act: false };
    default:
      return truth;
  }
}

function concerns(lie: Lie, { batch }: View): boolean {
  return lie.batch === undefined || lie.batch === batch.nth;
}

function bendView(view: View, lie: PollLie): View {
  switch (lie.kind) {
    case 'counts':
      return { ...view, counts: view.counts == null ? view.counts : bendCounts(view.counts, lie.tale) };
    case 'word':
      return { ...view, word: lie.word };
    case 'phase':
      return { ...view, phase: lie.phase };
    case 'no_results':
      return { ...view, results: [] };
    default:
      return lie satisfies never;
  }
}

function bendCounts(counts: Counts, tale: CountsTale): Counts | null | undefined {
  const { total, succeeded, expired } = counts;
  const zero = { total: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0, pending: 0 };
  switch (tale) {
    case 'null':
      return null;
    case 'absent':
      return undefined;
    case 'zero':
      return zero;
    case 'other_total':
      return { ...counts, total: total + 3, succeeded: succeeded + 3 };
    case 'low':
      return { ...counts, succeeded: Math.max(0, succeeded - 1), expired: expired + 1 };
    case 'high':
      return { ...zero, total, succeeded: total };
    default:
      return tale satisfies never;
  }
}

function bendSize(bytes: number, tale: SizeLie['tale']): number | null | undefined {
  switch (tale) {
    case 'null':
      return null;
    case 'absent':
      return undefined;
    case 'zero':
      return 0;
    case 'more':
      return bytes + 17;
    case 'less':
      return Math.max(0, bytes - 17);
    default:
      return tale satisfies never;
  }
}
