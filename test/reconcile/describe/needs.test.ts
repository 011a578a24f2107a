import { describe, expect, test } from 'vitest';
import type { NeedyGroup } from '../../../runner/ledger/needs.ts';
import {
  CAPPED,
  CAPPED_BLANK,
  CONTEXT_FULL,
  EMPTY,
  HOLDS_INT64,
  LANGUAGE_NOT_HELD,
  MISFIT,
  SEVERAL,
  UNKNOWN_STOP,
} from '../../../runner/outcome/causes.ts';
import { RETRYABLE } from '../../../runner/outcome/decide.ts';
import { OUTCOME_CLASSES, type OutcomeClass } from '../../../runner/outcome/outcome.ts';
import { advise } from '../../../runner/reconcile/describe/advice.ts';
import { isOneReason, needsOf } from '../../../runner/reconcile/describe/needs.ts';
import type { Job } from '../../../runner/spec/job.ts';

const JOB = {
  name: 'tickets',
  retry: { invalidOutput: 1 },
  output: { maxTokens: 60 },
  sinks: [{ kind: 'parquet' }, { kind: 'csv' }],
} as unknown as Job;
const MISFIT_OF_64_BITS = `${MISFIT} \`account_no\`, which holds ${HOLDS_INT64}`;

const some = (of: OutcomeClass | 'set_aside', cause: string) =>
  advise({ class: of, cause, isEvery: false }, JOB);
const every = (of: OutcomeClass, cause: string) => advise({ class: of, cause, isEvery: true }, JOB);

describe('advice fits the cause', () => {
  test.each<readonly [OutcomeClass, string, RegExp]>([
    ['truncated', CAPPED, /raise `output.max_tokens` \(now 60\)/],
    ['truncated', CAPPED_BLANK, /more blanks/],
    ['unknown_stop', UNKNOWN_STOP, /batchwright retry tickets --class unknown_stop/],
    ['invalid_request', CONTEXT_FULL, /longer context window/],
    ['invalid_request', 'HTTP 400 context_length_exceeded', /longer context window/],
    ['invalid_request', 'HTTP 400 prompt is too long: # tokens > # maximum', /longer context window/],
    ['invalid_request', LANGUAGE_NOT_HELD, /a model that has the language/],
    ['invalid_request', 'HTTP 400 invalid_value', /shorten or drop the row/],
    ['conflict', SEVERAL, /ask for one answer/],
    ['conflict', 'different lines for one request', /raw file/],
    ['invalid_output', 'not JSON', /`retry.invalid_output` is 1/],
    [
      'invalid_output',
      MISFIT_OF_64_BITS,
      /^a `jsonl` or `csv` sink in place of `parquet` keeps every digit.* at no cost/,
    ],
    [
      'invalid_output',
      MISFIT_OF_64_BITS,
      /a string instead is a new question, and all rows are sent and paid for again$/,
    ],
    ['invalid_output', `${MISFIT}s of the sinks`, /say the type there/],
  ])('%s, %s', (of, cause, expected) => {
    expect(some(of, cause)).toMatch(expected);
  });

  test.each<readonly [OutcomeClass, string, RegExp]>([
    ['invalid_output', EMPTY, /^every answer is empty/],
    ['invalid_output', MISFIT_OF_64_BITS, /keeps every digit/],
    ['invalid_output', '`/label` is not a string', /^every answer fails so.*batchwright try tickets/],
    ['invalid_request', 'HTTP 404 model_not_found', /the job is wrong and not its rows/],
    ['invalid_request', CONTEXT_FULL, /longer context window/],
  ])('of every row: %s, %s', (of, cause, expected) => {
    expect(every(of, cause)).toMatch(expected);
  });

  test('a higher cap is advised for nothing but a cap', () => {
    for (const of of OUTCOME_CLASSES) {
      const advice = some(of, of === 'truncated' ? CAPPED_BLANK : 'c');
      expect(advice, of).not.toContain('raise `output.max_tokens`');
    }
  });

  test('a retry is advised by a class that a person can retry, and by its own name', () => {
    for (const of of OUTCOME_CLASSES) {
      const named = /--class (\w+)/.exec(some(of, 'c'))?.[1];
      if (named !== undefined) expect([named, RETRYABLE.some((each) => each === named)]).toEqual([of, true]);
    }
  });
});

const group = (of: NeedyGroup['class'], cause: string, rows: number): NeedyGroup => ({
  class: of,
  cause,
  rows,
  examples: [],
  stopped: false,
});

describe('whether every row ended for one reason', () => {
  test.each<readonly [string, readonly NeedyGroup[], Record<string, number>, boolean]>([
    ['all of them', [group('invalid_output', EMPTY, 8)], { held: 8 }, true],
    ['all that were tried', [group('invalid_output', EMPTY, 8)], { held: 8, unsent: 90 }, true],
    ['some are answered', [group('invalid_output', EMPTY, 8)], { held: 8, applied: 1 }, false],
    [
      'some are answered, and in no sink',
      [group('invalid_output', EMPTY, 8)],
      { held: 8, valid_not_applied: 1 },
      false,
    ],
    [
      'for two reasons',
      [group('invalid_output', EMPTY, 7), group('invalid_output', 'not JSON', 1)],
      { held: 8 },
      false,
    ],
    ['in two classes', [group('invalid_output', EMPTY, 7), group('refused', 'x', 1)], { held: 8 }, false],
    ['a single row', [group('invalid_output', EMPTY, 1)], { held: 1 }, false],
  ])('%s', (_title, groups, dispositions, expected) => {
    const needs = needsOf(groups, dispositions, JOB, null);
    expect(isOneReason(needs, dispositions)).toBe(expected);
    expect(needs.some(({ next }) => next.startsWith('every answer is empty'))).toBe(expected);
  });

  test('one line a class, with its most frequent cause', () => {
    const groups = [
      group('conflict', 'x', 9),
      group('invalid_output', 'not JSON', 6),
      group('invalid_output', EMPTY, 5),
    ];
    expect(needsOf(groups, {}, JOB, null)).toMatchObject([
      { class: 'invalid_output', rows: 11, cause: 'not JSON', causeRows: 6 },
      { class: 'conflict', rows: 9, causeRows: 9 },
    ]);
  });
});
