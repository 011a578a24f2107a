import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../../runner/provider/call-errors.ts';
import {
  aboutOf,
  aboutOfBatchError,
  bodyFacts,
  type ErrorAbout,
} from '../../../runner/provider/openai/errors.ts';

describe('what an error is about', () => {
  test.each<readonly [number | null, string | null, string | null, string, ErrorAbout]>([
    [400, 'invalid_request_error', null, 'm', 'request'],
    [404, 'model_not_found', null, 'm', 'request'],
    [413, null, null, 'too large', 'request'],
    [422, null, null, 'm', 'request'],
    [401, 'invalid_api_key', null, 'm', 'account'],
    [402, null, null, 'm', 'account'],
    [403, null, null, 'm', 'account'],
    [408, null, null, 'm', 'server'],
    [409, null, null, 'm', 'server'],
    [429, 'rate_limit_exceeded', 'tokens', 'm', 'capacity'],
    [429, 'slow_down', 'rate_limit_error', 'm', 'capacity'],
    [429, null, null, 'm', 'capacity'],
    [529, null, null, 'm', 'capacity'],
    [429, 'credit_balance_exhausted', 'insufficient_quota', 'm', 'account'],
    [429, 'organization_spend_limit_exceeded', null, 'm', 'account'],
    [429, 'project_spend_limit_exceeded', null, 'm', 'account'],
    [429, 'organization_usage_limit_exceeded', null, 'm', 'account'],
    [429, 'insufficient_quota', null, 'm', 'account'],
    [400, 'billing_hard_limit_reached', null, 'm', 'account'],
    [
      429,
      null,
      null,
      'You exceeded your current quota, please check your plan and billing details.',
      'account',
    ],
    [500, 'server_error', null, 'm', 'server'],
    [500, null, null, 'error in the billing limit service', 'server'],
    [503, 'server_is_overloaded', 'service_unavailable_error', 'm', 'server'],
    [400, 'content_filter', null, 'm', 'content'],
    [400, 'content_policy_violation', null, 'm', 'content'],
    [400, 'image_content_policy_violation', null, 'm', 'content'],
    [200, 'misalignment_policy_violation', null, 'm', 'content'],
    [200, 'bio_policy', null, 'm', 'content'],
    [200, 'server_error', null, 'm', 'server'],
    [200, 'vector_store_timeout', null, 'm', 'server'],
    [200, 'invalid_image', null, 'm', 'request'],
    [200, 'data_residency_mismatch', null, 'm', 'request'],
    [200, 'never_heard_of', null, 'm', 'server'],
    [null, 'request_timeout', null, 'm', 'server'],
    [null, null, null, 'm', 'server'],
    [
      400,
      'invalid_request',
      null,
      'Cannot find file file-abc, or organization org-1 does not have access to it.',
      'server',
    ],
    [400, null, null, 'Input file not found', 'server'],
  ])('%s %s %s "%s" is about %s', (status, code, type, message, about) => {
    expect(aboutOf({ status, code, type, message })).toBe(about);
  });
});

describe('why a whole batch failed', () => {
  const enqueued =
    'Enqueued token limit reached for gpt-4o in organization org-1. Limit: 90,000 enqueued tokens. Please try again once some in_progress batches have been completed.';
  test.each([
    ['B042', 'token_limit_exceeded', enqueued, 'capacity'],
    ['B042', null, enqueued, 'capacity'],
    ['B043', 'invalid_json_line', 'This line is not parseable as valid JSON.', 'request'],
    ['B026', 'duplicate_custom_id', 'm', 'request'],
    ['B031', 'mismatched_model', 'm', 'request'],
    [
      'B041',
      'invalid_request',
      'Cannot find file file-a, or organization org-1 does not have access to it',
      'server',
    ],
    ['', 'model_not_found', 'm', 'request'],
    ['', 'insufficient_quota', 'm', 'account'],
    ['', 'content_policy_violation', 'm', 'request'],
    ['', 'a_code_of_tomorrow', 'm', 'request'],
    ['', null, 'm', 'request'],
  ] as const)('%s %s "%s" is about %s', (_case, code, message, about) => {
    expect(aboutOfBatchError(code, message)).toBe(about);
  });
});

describe('how long the server asks to wait', () => {
  const now = Date.parse('2026-11-30T10:00:00Z');
  const httpDate = (text: string) => new Date(text).toUTCString();
  test.each<readonly [string, Record<string, string>, number | null]>([
    ['seconds', { 'retry-after': '61' }, 61_000],
    ['a fraction', { 'retry-after': '0.5' }, 500],
    ['milliseconds win', { 'retry-after': '61', 'retry-after-ms': '250' }, 250],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date, by our clock', { 'retry-after': httpDate('2026-11-30T10:02:00Z') }, 120_000],
    [
      'B036: a date, by the server’s clock',
      { 'retry-after': httpDate('2026-11-30T10:02:00Z'), date: httpDate('2026-11-30T10:01:30Z') },
      30_000,
    ],
    ['a date that has passed', { 'retry-after': httpDate('2026-11-30T09:00:00Z') }, 0],
    ['nonsense', { 'retry-after': 'soon', 'retry-after-ms': '-4' }, null],
    ['nothing', {}, null],
  ])('%s', (_title, headers, expected) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
  });
});

test.each<readonly [unknown, ReturnType<typeof bodyFacts>]>([
  [
    { message: 'm', type: 't', code: 'c' },
    { message: 'm', type: 't', code: 'c' },
  ],
  [
    { message: { nested: true }, type: 7, code: null },
    { message: 'otherwise', type: '7', code: null },
  ],
  ['words', { message: 'words', type: null, code: null }],
  ['', { message: 'otherwise', type: null, code: null }],
  [null, { message: 'otherwise', type: null, code: null }],
  [
    { innererror: null, code: 'c' },
    { message: 'otherwise', type: null, code: 'c' },
  ],
])('an error object is read with care: %j', (error, facts) => {
  expect(bodyFacts(error, 'otherwise')).toEqual(facts);
});
