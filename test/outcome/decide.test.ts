import { describe, expect, test } from 'vitest';
import { decide, RETRYABLE, type Tries, usesAttempt } from '../../runner/outcome/decide.ts';
import { DECISIONS, type Decision } from '../../runner/outcome/disposition.ts';
import { OUTCOME_CLASSES, type OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { RetrySpec } from '../../runner/spec/job.ts';

const RETRY: RetrySpec = {
  maxAttempts: 3,
  invalidOutput: 1,
  truncatedMaxTokens: null,
  unreadableShare: 0.001,
};
const RAISED: RetrySpec = { ...RETRY, truncatedMaxTokens: 120 };

const tries = (changes: Partial<Tries>): Tries => ({
  used: 1,
  invalidOutput: 0,
  truncated: 0,
  cancelledByUs: false,
  revised: false,
  pardoned: false,
  ...changes,
});

/** Decisions after the first, second, third and fourth try that ended so, one after the other. */
function course(of: OutcomeClass, retry: RetrySpec): Decision[] {
  return [1, 2, 3, 4].map((used) =>
    decide(
      of,
      tries({
        used,
        invalidOutput: of === 'invalid_output' ? used : 0,
        truncated: of === 'truncated' ? used : 0,
      }),
      retry,
    ),
  );
}

describe('B069: what follows the first, second, third and fourth try', () => {
  test.each<readonly [OutcomeClass, RetrySpec, readonly Decision[]]>([
    ['ok', RETRY, ['none', 'none', 'none', 'none']],
    ['invalid_output', RETRY, ['retry', 'hold', 'hold', 'hold']],
    ['invalid_output', { ...RETRY, invalidOutput: 0 }, ['hold', 'hold', 'hold', 'hold']],
    ['invalid_output', { ...RETRY, invalidOutput: 9 }, ['retry', 'retry', 'hold', 'hold']],
    ['truncated', RETRY, ['hold', 'hold', 'hold', 'hold']],
    ['truncated', RAISED, ['retry', 'hold', 'hold', 'hold']],
    ['truncated', { ...RAISED, maxAttempts: 1 }, ['hold', 'hold', 'hold', 'hold']],
    ['unknown_stop', { ...RAISED, invalidOutput: 9 }, ['hold', 'hold', 'hold', 'hold']],
    ['invalid_request', RETRY, ['fail', 'fail', 'fail', 'fail']],
    ['rate_or_capacity', RETRY, ['later', 'later', 'later', 'later']],
    ['account', RETRY, ['stall', 'stall', 'stall', 'stall']],
    ['expired', RETRY, ['retry', 'retry', 'fail', 'fail']],
    ['cancelled', RETRY, ['stall', 'stall', 'stall', 'stall']],
    ['refused', RAISED, ['refuse', 'refuse', 'refuse', 'refuse']],
    ['provider_error', RETRY, ['retry', 'retry', 'fail', 'fail']],
    ['provider_error', { ...RETRY, maxAttempts: 1 }, ['fail', 'fail', 'fail', 'fail']],
    ['missing', RETRY, ['retry', 'retry', 'fail', 'fail']],
    ['conflict', RETRY, ['hold', 'hold', 'hold', 'hold']],
    ['duplicate', RETRY, ['none', 'none', 'none', 'none']],
    ['late', RETRY, ['none', 'none', 'none', 'none']],
  ])('%s', (of, retry, expected) => {
    expect(course(of, retry)).toEqual(expected);
  });
});

test('an answer cut after other failures still gets its one raised try, within the attempts', () => {
  expect(decide('truncated', tries({ used: 2, invalidOutput: 1, truncated: 1 }), RAISED)).toBe('retry');
  expect(decide('truncated', tries({ used: 3, invalidOutput: 1, truncated: 1 }), RAISED)).toBe('hold');
});

test('total, and nothing is retried beyond its attempts', () => {
  for (const of of OUTCOME_CLASSES) {
    for (const retry of [RETRY, RAISED]) {
      for (const decision of course(of, retry)) expect(DECISIONS).toContain(decision);
      expect(course(of, retry).slice(2)).not.toContain('retry');
    }
  }
});

test('what costs an item no attempt: the provider had no room, the account no money, another line came first', () => {
  const free = OUTCOME_CLASSES.filter((of) => !usesAttempt(of));
  expect(free).toEqual(['rate_or_capacity', 'account', 'duplicate', 'late']);
});

test('what we cancelled by policy is tried again within the attempts; what a person cancelled is not', () => {
  expect([1, 2, 3].map((used) => decide('cancelled', tries({ used, cancelledByUs: true }), RETRY))).toEqual([
    'retry',
    'retry',
    'fail',
  ]);
});

test('a person may have another round of what another try can mend, and of nothing else', () => {
  const pardoned = OUTCOME_CLASSES.filter(
    (of) => decide(of, tries({ used: 0, pardoned: true }), RETRY) === 'retry',
  );
  expect(pardoned.sort()).toEqual([...RETRYABLE].sort());
  expect(RETRYABLE).not.toContain('refused');
  expect(RETRYABLE).not.toContain('invalid_request');
});
