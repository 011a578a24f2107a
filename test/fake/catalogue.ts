import type { Committed, FileLie, Lie, PollLie, Refusal, SizeLie } from './lies.ts';
import type { RowFault } from './rows.ts';

type What<On extends Lie['on']> = Extract<Lie, { on: On }>['what'];

/** Each lie that stands in place of any answer, but for silence, which costs a client's whole time-out. */
export const REFUSALS = {
  'status 404': { kind: 'status', code: 404 },
  'status 429': { kind: 'status', code: 429, headers: { 'retry-after': '1' } },
  'status 500': { kind: 'status', code: 500 },
  'a JSON error with status 200': { kind: 'json_error' },
  'an HTML page with status 200': { kind: 'html' },
  'an empty body': { kind: 'empty' },
  'a reset': { kind: 'reset' },
} satisfies Record<string, Refusal>;

/** Each way to lose the answer of a deed that was done. */
export const COMMITTED = {
  'done, then status 500': { kind: 'commit_then_status', code: 500 },
  'done, then an HTML page': { kind: 'commit_then_html' },
  'done, then a reset': { kind: 'commit_then_reset' },
} satisfies Record<string, Committed>;

/** Each lie about the lines of a result file. */
export const FILE_LIES = {
  'ids are null': { kind: 'null_ids' },
  'ids are renamed': { kind: 'renamed_ids' },
  'the last line is missing': { kind: 'missing_lines', count: 1 },
  'the last line is missing, in chunks': { kind: 'missing_lines', count: 1, framing: 'chunked' },
  'all lines are missing, in chunks': { kind: 'missing_lines', count: 1_000_000, framing: 'chunked' },
  'a line is cut': { kind: 'cut_line' },
  'a line is cut, in chunks': { kind: 'cut_line', framing: 'chunked' },
  'a reset midway': { kind: 'reset_midway' },
  'a reset midway, in chunks': { kind: 'reset_midway', framing: 'chunked' },
  'a line of rubbish among good ones': { kind: 'rubbish_line', at: 1 },
  'a line of rubbish in place of a good one': { kind: 'rubbish_line', at: 0, instead: true },
  'a blank line': { kind: 'blank_line' },
  'no line feed at the end': { kind: 'no_final_newline' },
  'one content is empty': { kind: 'strange_content', content: 'empty', count: 1 },
  'all contents are empty': { kind: 'strange_content', content: 'empty' },
  'all contents are prose': { kind: 'strange_content', content: 'text' },
  'all contents are null': { kind: 'strange_content', content: 'null' },
  'contents are JSON text': { kind: 'content_as_text' },
  'a twin that differs': { kind: 'twin' },
  'a twin that is the same': { kind: 'twin', same: true },
  'lines of somebody else': { kind: 'foreign_lines' },
  'lines of somebody else beside ours': { kind: 'foreign_lines', beside: true },
} satisfies Record<string, FileLie>;

/** Each lie about the state of a batch. */
export const POLL_LIES = {
  'counts are null': { kind: 'counts', tale: 'null' },
  'counts are not there': { kind: 'counts', tale: 'absent' },
  'counts are zero': { kind: 'counts', tale: 'zero' },
  'counts have another total': { kind: 'counts', tale: 'other_total' },
  'counts are lower than the lines': { kind: 'counts', tale: 'low' },
  'counts are higher than the lines': { kind: 'counts', tale: 'high' },
  'a status word that nobody knows': { kind: 'word', word: 'pondering' },
  'it has completed, while it runs': { kind: 'phase', phase: 'completed' },
  'it runs, when it has ended': { kind: 'phase', phase: 'running' },
  'no result files': { kind: 'no_results' },
} satisfies Record<string, PollLie>;

/** Each lie about the size of a file. */
export const SIZE_LIES = {
  'the size is null': { kind: 'size', tale: 'null' },
  'the size is not there': { kind: 'size', tale: 'absent' },
  'the size is zero': { kind: 'size', tale: 'zero' },
  'the size is too large': { kind: 'size', tale: 'more' },
  'the size is too small': { kind: 'size', tale: 'less' },
} satisfies Record<string, SizeLie>;

/** Each lie about a list. */
export const LIST_LIES = {
  'an hour late': { kind: 'lag', ms: 3_600_000 },
  'an empty page': { kind: 'empty_page' },
  'no other page': { kind: 'first_page_only' },
  'a batch is left out': { kind: 'hidden' },
} satisfies Record<string, What<'list'>>;

/** Each fault of a single request at the model. */
export const ROW_FAULTS = {
  'no capacity': { kind: 'row_error', error: 'capacity' },
  'a server error': { kind: 'row_error', error: 'server' },
  'an invalid request': { kind: 'row_error', error: 'invalid' },
  'no such model': { kind: 'row_error', error: 'model' },
  'no credit': { kind: 'row_error', error: 'money' },
  'a refusal': { kind: 'refusal' },
  'cut at the cap': { kind: 'truncated' },
  'blanks up to the cap': { kind: 'blanks' },
  'an empty text': { kind: 'empty_text' },
  'the context window': { kind: 'context_window' },
  'a stop that nobody knows': { kind: 'unknown_stop' },
  'other text': { kind: 'text', text: 'I would say: a wheel.' },
  'two texts': { kind: 'second_text', text: '{"label":"axle","sure":false}' },
  'no usage': { kind: 'usage', tale: 'absent' },
  'usage of zero parts': { kind: 'usage', tale: 'zero_parts' },
  'negative usage': { kind: 'usage', tale: 'negative' },
  'more cached than put in': { kind: 'usage', tale: 'cached_above_input' },
  'more thought than put out': { kind: 'usage', tale: 'reasoning_above_output' },
  'a total below its parts': { kind: 'usage', tale: 'total_below_parts' },
  'vectors in another order': { kind: 'vectors', twist: 'reversed' },
  'vectors packed unasked': { kind: 'vectors', twist: 'base64' },
  'a vector too few': { kind: 'vectors', twist: 'one_missing' },
} satisfies Record<string, RowFault>;
