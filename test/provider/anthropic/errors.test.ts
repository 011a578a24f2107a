import { describe, expect, test } from 'vitest';
import { aboutOf, type ErrorAbout, errorFacts } from '../../../runner/provider/anthropic/errors.ts';

const LIMIT = 'You have reached your specified API usage limits. You will regain access on 2026-12-01.';
const WORKSPACE_LIMIT = 'You have reached your specified workspace API usage limits.';
const CREDIT = 'Your credit balance is too low to access the Anthropic API.';

describe('what an error is about', () => {
  test.each<readonly [number | null, string | null, string | null, string, ErrorAbout]>([
    [400, 'invalid_request_error', null, 'm', 'request'],
    [404, 'not_found_error', null, 'm', 'request'],
    [413, 'request_too_large', null, 'm', 'request'],
    [401, 'authentication_error', null, 'm', 'account'],
    [402, 'billing_error', null, 'm', 'account'],
    [403, 'permission_error', null, 'm', 'account'],
    [409, 'conflict_error', null, 'm', 'server'],
    [429, 'rate_limit_error', null, 'm', 'capacity'],
    [429, 'rate_limit_error', 'ramp_limit_exceeded', 'm', 'capacity'],
    [429, 'rate_limit_error', 'enforced_spend_limit_reached', 'm', 'account'],
    [429, 'rate_limit_error', 'contract_spend_limit_reached', 'm', 'account'],
    [400, 'invalid_request_error', 'organization_on_hold', 'm', 'account'],
    [400, 'invalid_request_error', null, LIMIT, 'account'],
    [400, 'invalid_request_error', null, WORKSPACE_LIMIT, 'account'],
    [400, 'invalid_request_error', null, CREDIT, 'account'],
    [400, 'invalid_request_error', null, `messages.0: they wrote "${CREDIT}"`, 'request'],
    [500, 'api_error', null, CREDIT, 'server'],
    [500, 'api_error', null, 'm', 'server'],
    [504, 'timeout_error', null, 'm', 'server'],
    [529, 'overloaded_error', null, 'm', 'capacity'],
    [529, null, null, 'm', 'capacity'],
    [429, null, null, 'm', 'capacity'],
    [503, null, null, '<html>', 'server'],
    [408, null, null, 'm', 'server'],
    [418, null, null, 'm', 'request'],
    [null, 'invalid_request_error', null, 'm', 'request'],
    [null, 'rate_limit_error', null, 'm', 'capacity'],
    [null, 'an_error_of_tomorrow', null, 'm', 'server'],
    [null, null, null, 'm', 'server'],
  ])('B038: %s %s %s %s: %s', (status, type, code, message, about) => {
    expect(aboutOf({ status, type, code, message })).toBe(about);
  });
});

describe('what an error says', () => {
  test.each<readonly [string, unknown, Record<string, string | null>]>([
    [
      'whole',
      { type: 'error', error: { type: 't', message: 'm', details: { error_code: 'c' } }, request_id: 'r' },
      { type: 't', code: 'c', message: 'm' },
    ],
    ['the inner object alone', { type: 't', message: 'm' }, { type: 't', code: null, message: 'm' }],
    ['a page', '<html>', { type: null, code: null, message: '<html>' }],
    ['nothing', undefined, { type: null, code: null, message: 'HTTP 500' }],
    ['details that are none', { error: { type: 't', details: 'x' } }, { code: null, message: 'HTTP 500' }],
  ])('%s', (_title, body, expected) => {
    expect(errorFacts(500, body, 'HTTP 500')).toMatchObject(expected);
  });
});
