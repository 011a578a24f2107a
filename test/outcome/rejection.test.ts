import { describe, expect, it } from 'vitest';
import { isAboutJob, type Rejection } from '../../runner/outcome/rejection.ts';

function rejection(some: Partial<Rejection>): Rejection {
  return { rows: 3, cause: 'HTTP 400', words: null, alike: true, ...some };
}

/** As the decoders of the three providers leave them: cause, then the provider's words. */
const ABOUT_JOB: readonly (readonly [cause: string, words: string])[] = [
  ['HTTP 404 model_not_found', "The model 'gpt-9' does not exist or you do not have access to it."],
  ['HTTP 400 invalid_json_schema', "Invalid schema for response_format 'answer': In context=(), …"],
  [
    'HTTP 400 unsupported_parameter',
    "Unsupported parameter: 'temperature' is not supported with this model.",
  ],
  [
    'HTTP 400 unsupported_value',
    "Unsupported value: 'reasoning.effort' does not support 'none' with this model.",
  ],
  ['HTTP 400 unknown_parameter', "Unknown parameter: 'text.fromat'."],
  ['HTTP 400 missing_required_parameter', "Missing required parameter: 'max_completion_tokens'."],
  ['batch failed: model_not_found', 'The model does not exist.'],
  ['batch failed: mismatched_model', 'All requests of a batch must have one model.'],
  ['not_found_error', 'model: claude-haiku-9'],
  ['invalid_request_error', 'temperature: not a parameter of this version'],
  ['invalid_request_error', "output_config.format.schema: 'minimum' is not supported"],
  ['invalid_request_error', 'max_tokens: 1000000 > 64000, which is the maximum allowed for this model'],
  [
    'HTTP 404 NOT_FOUND',
    'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.',
  ],
  [
    'HTTP 400 INVALID_ARGUMENT',
    '* GenerateContentRequest.generation_config.response_schema: too many states',
  ],
  [
    'HTTP 400 INVALID_ARGUMENT',
    'Invalid JSON payload received. Unknown name "responseSchemas" at \'generation_config\'',
  ],
];

/** What one row may have of its own. */
const ABOUT_ROW: readonly (readonly [cause: string, words: string])[] = [
  ['HTTP 400 context_length_exceeded', "This model's maximum context length is 8192 tokens."],
  ['HTTP 400 string_above_max_length', "Invalid 'input': string too long."],
  ['HTTP 400 invalid_image_url', 'The image could not be downloaded.'],
  ['HTTP 413', 'Request too large.'],
  ['request_too_large', 'Request exceeds the maximum size.'],
  ['invalid_request_error', 'prompt is too long: 240000 tokens > 200000 maximum'],
  ['invalid_request_error', 'messages.0.content: text content blocks must be non-empty'],
  ['HTTP 400 INVALID_ARGUMENT', 'The input token count exceeds the maximum number of tokens allowed.'],
  ['batch failed: invalid_json_line', 'This line is not parseable as valid JSON.'],
  // Customers' words in a message of the provider's are no reason: codes and beginnings count.
  ['invalid_request_error', 'messages.0.content: "temperature: 40 degrees, model: unknown"'],
];

describe('a batch of which every line was refused', () => {
  it.each(ABOUT_JOB)('%s %s: is about the job, be it one row', (cause, words) => {
    expect(isAboutJob(rejection({ cause, words, rows: 1 }))).toBe(true);
  });

  it.each(ABOUT_ROW)('%s %s: may be the fault of three rows', (cause, words) => {
    expect(isAboutJob(rejection({ cause, words, rows: 3 }))).toBe(false);
  });

  it('in the same words ten times: what all have in common is refused', () => {
    const words = 'This organization may not use this endpoint.';
    expect(isAboutJob(rejection({ words, rows: 10 }))).toBe(true);
    expect(isAboutJob(rejection({ words, rows: 9 }))).toBe(false);
    expect(isAboutJob(rejection({ words, rows: 10, alike: false }))).toBe(false);
    expect(isAboutJob(rejection({ words: null, rows: 10 })), 'without words nobody can tell').toBe(false);
  });

  it.each(ABOUT_ROW)('%s %s: is no fault of the job, however many rows have it', (cause, words) => {
    expect(isAboutJob(rejection({ cause, words, rows: 5_000 }))).toBe(false);
  });
});
