import type { LineCase } from './line-cases.ts';
import { answered, errorObject, line, refusedWith, unanswered } from './lines.ts';

const error = (more: Record<string, unknown> = {}) => ({ error: errorObject(more) });

/** Errors as either endpoint has them: what they say counts, and not the file or the status alone. */
export const ERROR_CASES: readonly LineCase[] = [
  // Errors of the request, in whichever file.
  {
    name: 'B065: 400 in the output file',
    text: refusedWith(400, { code: 'context_length_exceeded' }),
    class: 'invalid_request',
    says: 'HTTP 400 context_length_exceeded',
  },
  {
    name: 'B065: 200 with an error of the request',
    text: answered(error({ code: 'context_length_exceeded' })),
    class: 'invalid_request',
    says: 'context_length_exceeded',
  },
  {
    name: '404 in the error file',
    text: refusedWith(404, { code: 'model_not_found' }),
    class: 'invalid_request',
    file: 'error',
  },
  { name: '413', text: refusedWith(413), class: 'invalid_request' },
  {
    name: '422 with a body that is text',
    text: answered('Unprocessable', 422),
    class: 'invalid_request',
    says: 'Unprocessable',
  },
  {
    name: 'a 400 whose body is JSON text',
    text: answered(JSON.stringify(error({ code: 'context_length_exceeded' })), 400),
    class: 'invalid_request',
    says: 'HTTP 400 context_length_exceeded',
  },
  {
    name: 'an error of the request without a status',
    text: answered(error({ code: 'context_length_exceeded' }), null),
    class: 'invalid_request',
    says: 'context_length_exceeded',
  },
  {
    name: 'an error that is JSON text',
    text: unanswered(JSON.stringify(errorObject({ code: 'context_length_exceeded' }))),
    class: 'invalid_request',
    says: 'context_length_exceeded',
  },
  {
    name: 'B079: a schema that strict mode does not take',
    text: refusedWith(400, { code: 'invalid_json_schema' }),
    class: 'invalid_request',
  },

  // Room and money.
  {
    name: '429',
    text: refusedWith(429, { code: 'rate_limit_exceeded', type: 'requests' }),
    class: 'rate_or_capacity',
  },
  { name: '529', text: answered(null, 529), class: 'rate_or_capacity' },
  {
    name: 'B038: 429 for money',
    text: refusedWith(429, { code: 'insufficient_quota', type: 'insufficient_quota' }),
    class: 'account',
  },
  {
    name: 'B038: credit under a plain type',
    text: refusedWith(400, { message: 'Your credit balance is too low to access the API.' }),
    class: 'account',
    says: 'credit balance',
  },
  { name: '401', text: refusedWith(401, { code: 'invalid_api_key' }), class: 'account' },
  { name: '402', text: answered(null, 402), class: 'account' },
  { name: '403', text: refusedWith(403), class: 'account' },

  // The server's fault, or nobody's.
  {
    name: '500',
    text: refusedWith(500, { type: 'server_error' }),
    class: 'provider_error',
    says: 'HTTP 500',
  },
  { name: '503 with a page', text: answered('<html>overloaded</html>', 503), class: 'provider_error' },
  { name: '408', text: answered(null, 408), class: 'provider_error' },
  { name: '409', text: refusedWith(409), class: 'provider_error' },
  { name: 'status 0', text: answered(null, 0), class: 'provider_error' },
  {
    name: 'a timeout',
    text: unanswered({ code: 'request_timeout', message: 'm' }),
    class: 'provider_error',
    says: 'request_timeout',
  },
  {
    name: 'an empty error',
    text: unanswered({}),
    class: 'unreadable',
    says: 'neither a response nor an error',
  },
  { name: 'no response and no error', text: line({}), class: 'unreadable' },
  {
    name: 'an error that nobody documents',
    text: unanswered({ code: 'gremlins', message: 'm' }),
    class: 'provider_error',
    says: 'gremlins',
  },
  {
    name: 'B065: 200 with an error of the server',
    text: answered(error({ type: 'server_error' })),
    class: 'provider_error',
  },
  { name: 'B065: 200 with an empty body', text: answered({}), class: 'unreadable', says: 'without' },
  { name: '200 without a body', text: answered(null), class: 'unreadable' },
  {
    name: 'B065: the request as an answer',
    text: answered({ model: 'm', messages: [], input: 'x' }),
    class: 'unreadable',
  },
  {
    name: 'B065: an answer of another kind',
    text: answered({ prediction: 'wheel' }),
    class: 'unreadable',
  },

  // Never ran.
  {
    name: 'B051: the window closed',
    text: unanswered({ code: 'batch_expired', message: 'm' }),
    class: 'expired',
    file: 'error',
  },
  {
    name: 'B052: cancelled before it ran',
    text: unanswered({ code: 'batch_cancelled', message: 'm' }),
    class: 'cancelled',
    file: 'error',
  },

  // Content.
  {
    name: 'B067: content policy',
    text: refusedWith(400, { code: 'content_policy_violation' }),
    class: 'refused',
    file: 'error',
  },
  {
    name: 'B067: Azure has the policy inside',
    text: refusedWith(400, {
      code: 'content_filter',
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    }),
    class: 'refused',
    says: 'ResponsibleAIPolicyViolation',
  },
  {
    name: 'a prompt that was flagged',
    text: refusedWith(400, { code: 'invalid_prompt', message: 'flagged by our usage policy' }),
    class: 'refused',
  },
];
