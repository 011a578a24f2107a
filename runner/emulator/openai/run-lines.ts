import { digestOf } from '../../ids.ts';
import { linesOfFile, textOf } from '../../lines.ts';
import { openBlockWriter } from '../block-writer.ts';
import type { FaultPlan } from '../faults.ts';
import { createPause } from '../pause.ts';
import type { LineFault } from '../scenario.ts';
import { drawFrom, hexOf, startOf } from '../seed.ts';
import { createShuffle } from '../shuffle.ts';
import { createLineChecker, type RequestLine } from './check-line.ts';
import { servedModel } from './question.ts';
import { type Result, resultOf } from './result-line.ts';
import { addTo, type LogLine, noSums } from './run-log.ts';
import type { BatchError, Endpoint, RunTotals } from './types.ts';

/** What is needed to run a batch's input file. Paths are absolute; the three outputs are replaced. */
export interface RunOrder {
  readonly batchId: string;
  readonly batchNumber: number;
  readonly endpoint: Endpoint;
  readonly input: string;
  readonly output: string;
  readonly errors: string;
  readonly log: string;
  /** Seconds; goes into the bodies. */
  readonly created: number;
  readonly mostRequests: number;
  readonly models: readonly string[] | null;
  readonly seed: string;
  readonly faults: FaultPlan;
  readonly allFailed: boolean;
  readonly signal: AbortSignal;
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
  const checker = createLineChecker(order.endpoint, order.models);
  const pause = createPause(order.signal);
  const spool = openSpool(order);
  const errors: BatchError[] = [];
  let requests = 0;
  try {
    for (const line of linesOfFile(order.input)) {
      requests += 1;
      const checked = checker.check(textOf(line), line.number);
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
      model = servedModel(request.model);
      const bodyHash = digestOf(request.bodyText).slice(0, 32);
      const result = resultOf(request, bodyHash, order, faultOf(order, request.customId, line, bodyHash));
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
