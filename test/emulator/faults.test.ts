import { describe, expect, test } from 'vitest';
import { type CallFacts, type LineFacts, planFaults } from '../../runner/emulator/faults.ts';
import type { CallMatch, LineMatch } from '../../runner/emulator/scenario.ts';

/** The calls of the first ten that a rule with this match meets. */
function callsMet(match: CallMatch, facts: Partial<CallFacts> = {}): number[] {
  const plan = planFaults([{ on: 'poll', ...match, do: { status: 500 } }], 'seed');
  const numbers = Array.from({ length: 10 }, (_, at) => at + 1);
  return numbers.filter((nth) => plan.forCall({ on: 'poll', nth, batch: 1, ...facts }) !== null);
}

describe('a call is met', () => {
  test.each<[string, CallMatch, number[]]>([
    ['always without a condition', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['once by number', { nth: 3 }, [3]],
    ['by several numbers', { nth: [1, 4] }, [1, 4]],
    ['at the beginning', { first: 2 }, [1, 2]],
    ['at intervals', { every: 5 }, [5, 10]],
    ['where all conditions hold', { every: 2, first: 5 }, [2, 4]],
    ['never by a share of 0', { share: 0 }, []],
    ['for its batch', { batch: 1, first: 1 }, [1]],
    ['not for another batch', { batch: [2, 3] }, []],
  ])('%s', (_name, match, expected) => {
    expect(callsMet(match)).toEqual(expected);
  });

  test('not where it is about no batch and the rule is', () => {
    expect(callsMet({ batch: 1 }, { batch: null })).toEqual([]);
  });

  test('not where it is another operation', () => {
    expect(callsMet({}, { on: 'list' })).toEqual([]);
  });
});

function line(at: number, facts: Partial<LineFacts> = {}): LineFacts {
  return { customId: `r-${at}`, line: at, bodyHash: `${at}`.padStart(32, '0'), batch: 1, ...facts };
}

/** Of a thousand lines, those that a rule with this match meets. */
function linesMet(match: LineMatch, seed = 'seed', facts: Partial<LineFacts> = {}): number[] {
  const plan = planFaults([{ on: 'line', ...match, do: { status: 500 } }], seed);
  const numbers = Array.from({ length: 1000 }, (_, at) => at + 1);
  return numbers.filter((at) => plan.forLine(line(at, facts)) !== null);
}

describe('a line is met', () => {
  test('by number, interval and id', () => {
    expect(linesMet({ line: [2, 7] })).toEqual([2, 7]);
    expect(linesMet({ every: 250 })).toEqual([250, 500, 750, 1000]);
    expect(linesMet({ custom_id: '^r-9.9$' })).toHaveLength(10);
    expect(linesMet({ batch: 2 })).toEqual([]);
  });

  test('by share: about so many, the same for a seed, others for another', () => {
    const met = linesMet({ share: 0.02 });
    expect(met.length).toBeGreaterThan(8);
    expect(met.length).toBeLessThan(40);
    expect(linesMet({ share: 0.02 })).toEqual(met);
    expect(linesMet({ share: 0.02 }, 'another')).not.toEqual(met);
  });

  test('by the body where it is sticky, so that the same request meets it under every id', () => {
    const plan = planFaults([{ on: 'line', share: 0.5, sticky: true, do: { status: 500 } }], 'seed');
    const bodies = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => letter.repeat(32));
    const first = bodies.map((bodyHash) => plan.forLine(line(1, { bodyHash })) !== null);
    const again = bodies.map((bodyHash) => plan.forLine(line(2, { bodyHash, batch: 2 })) !== null);
    expect(again).toEqual(first);
    expect(new Set(first).size).toBe(2);
  });
});

test('the first rule that matches decides', () => {
  const plan = planFaults(
    [
      { on: 'create', nth: 1, do: { reset: true } },
      { on: 'create', do: { stuck: 'finalizing' } },
    ],
    'seed',
  );
  expect(plan.forCall({ on: 'create', nth: 1, batch: 1 })).toEqual({ reset: true });
  expect(plan.forCall({ on: 'create', nth: 2, batch: 2 })).toEqual({ stuck: 'finalizing' });
});
