import { digestOf, type JsonObject } from '../../ids.ts';
import { linesOfFile, textOf } from '../../lines.ts';
import { openBlockWriter } from '../block-writer.ts';
import type { FaultPlan } from '../faults.ts';
import { createPause } from '../pause.ts';
import type { LineFault } from '../scenario.ts';
import { drawFrom, hexOf, startOf } from '../seed.ts';
import { createShuffle } from '../shuffle.ts';
import type { BatchError, RunTotals } from './row.ts';
import { addTo, type LogLine, noSums } from './run-log.ts';

/** What is needed to run a batch's input file. Paths are absolute; the three outputs are replaced. */
export interface RunOrder {
  readonly batchId: string;
  readonly batchNumber: number;
  readonly input: string;
  readonly output: string;
  readonly errors: string;
  readonly log: string;
  readonly work: LineWork;
  readonly mostRequests: number;
  readonly seed: string;
  readonly faults: FaultPlan;
  readonly allFailed: boolean;
  readonly signal: AbortSignal;
}

/** A face's part in running a file: what its lines must be, and what comes of them. Made anew for each file. */
export interface LineWork {
  /** Called for each line in order. @param text null where the bytes are not UTF-8. */
  check(text: string | null, line: number): Checked;
  /** Pure: the same request and fault give the same result. @param bodyHash of the body's text, 32 hex characters. */
  run(request: RequestLine, bodyHash: string, fault: LineFault | null): Result;
  servedModel(model: string): string;
}

/** A request line of an input file that passed validation. */
export interface RequestLine {
  readonly customId: string;
  readonly body: JsonObject;
  /** The body's text as it stands in the line. */
  readonly bodyText: string;
  readonly model: string;
}

export type Checked =
  | { readonly kind: 'request'; readonly request: RequestLine }
  /** The whole batch is not run. */
  | { readonly kind: 'error'; readonly error: BatchError };

/** What one request came to: its lines in the result files and what is charged for it. */
export interface Result {
  readonly customId: string;
  readonly bodyHash: string;
  /** HTTP status; 0 where the request never became one. Only 200 is charged. */
  readonly status: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whole lines with their ends; '' where there is none. A provider with one file of results has only `output`. */
  readonly output: string | Buffer;
  readonly error: string | Buffer;
}

export type RunResult =
  | { readonly kind: 'valid'; readonly totals: RunTotals }
  | { readonly kind: 'invalid'; readonly errors: readonly BatchError[] };

/** Enough to see what is wrong with a file; a million broken lines must not become a million messages. */
const MOST_ERRORS = 100;

/**
 * Validates and runs a file in one pass, from disk to disk: each line is parsed once, its result goes through a pool
 * that shuffles, and no more than the pool and one block is in memory. Where validation fails nothing has run.
 */
export async function runLines(order: RunOrder): Promise<RunResult> {
  const pause = createPause(order.signal);
  const spool = openSpool(order);
  const errors: BatchError[] = [];
  let requests = 0;
  try {
    for (const line of linesOfFile(order.input)) {
      requests += 1;
      const checked = order.work.check(textOf(line), line.number);
      if (checked.kind === 'error') {
        if (errors.length < MOST_ERRORS) errors.push(checked.error);
      } else if (errors.length === 0) {
        spool.run(checked.request, line.number);
      }
      if (pause.due()) await pause.take();
    }
  } finally {
    spool.close();
  }
  const all = [...sizeErrors(requests, order.mostRequests), ...errors];
  return all.length > 0 ? { kind: 'invalid', errors: all } : { kind: 'valid', totals: spool.totals() };
}

function sizeErrors(requests: number, most: number): BatchError[] {
  if (requests === 0) return [wholeFile('empty_file', 'The input file has no requests.')];
  if (requests <= most) return [];
  return [
    wholeFile('too_many_tasks', `The input file has ${requests} requests, and a batch may have ${most}.`),
  ];
}

function wholeFile(code: string, message: string): BatchError {
  return { code, message, param: null, line: null };
}

interface Spool {
  run(request: RequestLine, line: number): void;
  close(): void;
  totals(): RunTotals;
}

/** The three files that a run writes, and their sums. */
function openSpool(order: RunOrder): Spool {
  const files = {
    output: openBlockWriter(order.output),
    errors: openBlockWriter(order.errors),
    log: openBlockWriter(order.log),
  };
  const sums = noSums();
  let model = '';

  function write(result: Result): void {
    const line = {
      custom_id: result.customId,
      body_hash: result.bodyHash,
      status: result.status,
      input_tokens: result.inputTokens,
      output_tokens: result.outputTokens,
      output_bytes: result.output.length === 0 ? 0 : files.output.write(result.output),
      error_bytes: result.error.length === 0 ? 0 : files.errors.write(result.error),
    } satisfies LogLine;
    files.log.write(`${JSON.stringify(line)}\n`);
    addTo(sums, line);
  }

  const shuffle = createShuffle<Result>(drawFrom(startOf(hexOf(`${order.seed} ${order.batchId}`))), write);
  return {
    run(request, line) {
      model = order.work.servedModel(request.model);
      const bodyHash = digestOf(request.bodyText).slice(0, 32);
      const result = order.work.run(request, bodyHash, faultOf(order, request.customId, line, bodyHash));
      shuffle.push(result, result.output.length + result.error.length);
    },
    close() {
      shuffle.end();
      for (const file of Object.values(files)) file.close();
    },
    totals: () => ({ ...sums, model }),
  };
}

const ALL_FAILED: LineFault = { status: 500 };

function faultOf(order: RunOrder, customId: string, line: number, bodyHash: string): LineFault | null {
  if (order.allFailed) return ALL_FAILED;
  return order.faults.forLine({ customId, line, bodyHash, batch: order.batchNumber });
}
