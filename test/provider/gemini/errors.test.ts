import { describe, expect, test } from 'vitest';
import { aboutOf, type ErrorAbout, errorFacts } from '../../../runner/provider/gemini/errors.ts';

const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';

describe('what an error is about', () => {
  test.each<readonly [number | null, string | null, string, ErrorAbout]>([
    [400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', 'request'],
    [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'account'],
    [400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.', 'account'],
    [400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.', 'account'],
    [400, 'FAILED_PRECONDITION', 'Please enable billing on project 7 in Google AI Studio.', 'account'],
    [
      400,
      'FAILED_PRECONDITION',
      'The File abc is not in an ACTIVE state and usage is not allowed.',
      'server',
    ],
    [400, 'FAILED_PRECONDITION', 'm', 'request'],
    [401, 'UNAUTHENTICATED', 'm', 'account'],
    [402, null, 'm', 'account'],
    [403, 'PERMISSION_DENIED', 'm', 'account'],
    [404, 'NOT_FOUND', 'models/x is not found', 'request'],
    [408, null, 'm', 'server'],
    [409, 'ALREADY_EXISTS', 'm', 'server'],
    [413, null, 'm', 'request'],
    [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', 'capacity'],
    [429, 'RESOURCE_EXHAUSTED', QUOTA, 'capacity'],
    [429, 'RESOURCE_EXHAUSTED', `${QUOTA} Quota exceeded for metric: x, limit: 0, model: y`, 'account'],
    [429, 'RESOURCE_EXHAUSTED', `${QUOTA} Quota exceeded for metric: x, limit: 05, model: y`, 'capacity'],
    [429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.', 'account'],
    [429, 'RESOURCE_EXHAUSTED', 'Your project has exceeded its monthly spending cap.', 'account'],
    [499, 'CANCELLED', 'm', 'server'],
    [500, 'INTERNAL', 'm', 'server'],
    [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.', 'server'],
    [503, 'UNAVAILABLE', 'the spending limit service is down', 'server'],
    [504, 'DEADLINE_EXCEEDED', 'm', 'server'],
    [null, 'OUT_OF_RANGE', 'm', 'request'],
    [null, 'UNKNOWN', 'm', 'server'],
    [null, null, 'm', 'server'],
  ])('B038: %s %s %s', (status, word, message, about) => {
    expect(aboutOf({ status, word, message, reason: null, retryMs: null })).toBe(about);
  });

  test.each(['API_KEY_INVALID', 'SERVICE_DISABLED', 'BILLING_DISABLED', 'CONSUMER_SUSPENDED'])(
    'B038: the reason %s is the account’s',
    (reason) => {
      const facts = { status: 400, word: 'INVALID_ARGUMENT', message: 'm', reason, retryMs: null };
      expect(aboutOf(facts)).toBe('account');
    },
  );
});

describe('the facts of a status', () => {
  const detail = (type: string, more: Record<string, unknown>) => ({
    '@type': `type.googleapis.com/google.rpc.${type}`,
    ...more,
  });

  test('all of them', () => {
    const details = [
      detail('Help', {}),
      detail('ErrorInfo', { reason: 'RATE_LIMIT_EXCEEDED' }),
      detail('RetryInfo', { retryDelay: '30.5s' }),
    ];
    expect(errorFacts({ code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED', details }, 'x')).toEqual({
      status: 429,
      word: 'RESOURCE_EXHAUSTED',
      message: 'm',
      reason: 'RATE_LIMIT_EXCEEDED',
      retryMs: 30_500,
    });
  });

  test.each([
    ['0s', 0],
    ['30s', 30_000],
    ['0.000000001s', 1],
    ['90000s', 3_600_000],
    ['-1s', null],
    ['30', null],
    ['soon', null],
    [30, null],
  ])('B037: a delay of %j is %s ms', (retryDelay, ms) => {
    expect(errorFacts({ details: [detail('RetryInfo', { retryDelay })] }, 'x').retryMs).toBe(ms);
  });

  test.each([
    ['nothing', null, 'x'],
    ['text', 'broken', 'broken'],
    ['a list', [], 'x'],
    ['hostile details', { details: [null, 7, { '@type': 9 }] }, 'x'],
  ])('%s', (_title, value, message) => {
    expect(errorFacts(value, 'x')).toEqual({
      status: null,
      word: null,
      message,
      reason: null,
      retryMs: null,
    });
  });
});
