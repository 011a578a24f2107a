import { linesOfFile, textOf } from '../../lines.ts';
import type { RunTotals } from './row.ts';

/** One line of a batch's run log, in the order in which its requests ended. */
export interface LogLine {
  readonly custom_id: string;
  readonly body_hash: string;
  /** HTTP status; 0 where the request never became one. */
  readonly status: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** What it takes in each of the result files. */
  readonly output_bytes: number;
  readonly error_bytes: number;
}

export function* logLines(path: string): Generator<LogLine> {
  for (const line of linesOfFile(path)) yield JSON.parse(textOf(line) ?? '') as LogLine;
}

export type Sums = { -readonly [Name in keyof Omit<RunTotals, 'model'>]: number };

export function noSums(): Sums {
  return {
    requests: 0,
    completed: 0,
    failed: 0,
    inputTokens: 0,
    outputTokens: 0,
    outputBytes: 0,
    errorBytes: 0,
  };
}

/** Only what was answered with 200 counts as completed, and only that is billed. */
export function addTo(sums: Sums, line: LogLine): void {
  sums.requests += 1;
  if (line.status === 200) sums.completed += 1;
  else sums.failed += 1;
  sums.inputTokens += line.input_tokens;
  sums.outputTokens += line.output_tokens;
  sums.outputBytes += line.output_bytes;
  sums.errorBytes += line.error_bytes;
}
