import { describe, expect, test } from 'vitest';
import {
  allDispositions,
  DISPOSITIONS,
  type Disposition,
  dispositionOf,
  type ItemFacts,
} from '../../runner/outcome/disposition.ts';

const FRESH: ItemFacts = {
  problem: false,
  verdict: 'none',
  applied: false,
  flight: 'none',
  decision: 'none',
  standing: 'current',
};

describe('each disposition, by the facts that make it', () => {
  test.each<readonly [Disposition, Partial<ItemFacts>]>([
    ['unsent', {}],
    ['set_aside', { problem: true }],
    ['in_flight', { flight: 'live' }],
    ['ambiguous', { flight: 'ambiguous' }],
    ['valid_not_applied', { verdict: 'own' }],
    ['applied', { verdict: 'own', applied: true }],
    ['valid_not_applied', { verdict: 'reused' }],
    ['reused', { verdict: 'reused', applied: true }],
    ['refused', { verdict: 'refused' }],
    ['failed', { verdict: 'invalid_request' }],
    ['waiting', { decision: 'retry' }],
    ['waiting', { decision: 'later' }],
    ['waiting', { decision: 'stall' }],
    ['held', { decision: 'hold' }],
    ['failed', { decision: 'fail' }],
    ['refused', { decision: 'refuse' }],
    ['superseded', { standing: 'superseded' }],
    ['retired', { standing: 'retired' }],
    ['withdrawn', { standing: 'withdrawn' }],
  ])('%s: %j', (expected, changes) => {
    expect(dispositionOf({ ...FRESH, ...changes })).toBe(expected);
  });
});

describe('over every combination of facts', () => {
  const all = [...allDispositions()];

  test('each has one, and each occurs', () => {
    expect(all).toHaveLength(2 * 5 * 2 * 3 * 8 * 4);
    expect(new Set(all.map((each) => each.disposition))).toEqual(new Set(DISPOSITIONS));
  });

  test('a row that was set aside was never sent, whatever else is said of it', () => {
    for (const each of all) if (each.problem) expect(each.disposition).toBe('set_aside');
  });

  test('what is in a sink counts as there, in flight or superseded as it may be', () => {
    for (const each of all) {
      const isThere = !each.problem && each.applied && (each.verdict === 'own' || each.verdict === 'reused');
      expect(['applied', 'reused'].includes(each.disposition)).toBe(isThere);
    }
  });

  test('nothing that may still be billed is called anything but in flight or ambiguous, unless its answer is known', () => {
    for (const each of all) {
      if (each.problem || each.flight === 'none' || each.verdict === 'own' || each.verdict === 'reused')
        continue;
      expect(each.disposition).toBe(each.flight === 'live' ? 'in_flight' : 'ambiguous');
    }
  });

  test('a run that is no longer current sends nothing more', () => {
    for (const each of all) {
      if (each.standing !== 'current') expect(['unsent', 'waiting', 'held']).not.toContain(each.disposition);
    }
  });
});
