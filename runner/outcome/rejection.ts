/** What the provider said of a batch of which it refused every line as an invalid request. */
export interface Rejection {
  readonly rows: number;
  /** Of all of them, as an outcomes file has it: `HTTP 404 model_not_found`. */
  readonly cause: string;
  /** The words of the first; null where it gave none. */
  readonly words: string | null;
  /** All were refused in the very same words. */
  readonly alike: boolean;
}

/** So many rows refused in the very same words have in common what is refused; fewer may all be bad rows. */
const PROOF_ROWS = 10;

/**
 * Pure: true where model, endpoint, schema or parameters are refused and not what the rows say, so that the other
 * rows of the job would be refused as well. Where that cannot be told it is false: refused lines are not billed.
 */
export function isAboutJob({ rows, cause, words, alike }: Rejection): boolean {
  const code = cause.split(' ').at(-1) ?? '';
  if (JOB_CODES.has(code) || JOB_WORDS.test(words ?? '')) return true;
  if (ROW_CODE.test(cause) || ROW_WORDS.test(words ?? '')) return false;
  return words !== null && alike && rows >= PROOF_ROWS;
}

/**
 * Codes about what all requests of a job have in common: OpenAI's error codes, with those of a failed batch that Azure
 * documents for the same API. One prompt and one schema make all rows, so that what is missing there is missing in each.
 */
const JOB_CODES: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_mismatch',
  'mismatched_model',
  'url_mismatch',
  'invalid_url',
  'invalid_method',
  'invalid_json_schema',
  'unsupported_parameter',
  'unsupported_value',
  'unknown_parameter',
  'missing_required_parameter',
]);

/**
 * Anthropic begins with the path of the parameter, and says `model: NAME` of one that is not there; Gemini names the
 * model, or the part of the request that holds parameters and schema. Only beginnings and whole phrases: what follows
 * may quote a row.
 */
const JOB_WORDS =
  /^(model|max_tokens|temperature|top_p|top_k|thinking|output_config|tools?|tool_choice)\b[.:]|^models\/\S+ is not found for API version|^\* \w+\.generation_?config\b|^Invalid JSON payload received\. Unknown name "\w+" at '\w*config/i;

/** What is wrong with single rows, though all of a batch may have it: their length, their images, their texts. */
const ROW_CODE =
  /\b(413|context_length_exceeded|string_above_max_length|request_too_large|invalid_json_line|\w*image\w*)\b/;
const ROW_WORDS = /^(messages|contents?|input)\b|too (long|large)|exceeds the (maximum|limit)/i;
