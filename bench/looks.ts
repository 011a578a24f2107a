import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** What it takes to look at a job that has finished. */
export interface Looks {
  /** Wall time of `batchwright plan`, `status` and `report` as a person calls them: each a process of its own. */
  readonly planMs: number;
  readonly statusMs: number;
  readonly reportMs: number;
  readonly ledgerMb: number;
}

const CLI = join(import.meta.dirname, '../runner/cli.ts');

export function looksAt(work: string): Looks {
  // Once without looking at the clock: nobody's first call has its code compiled.
  timed('status', work);
  return {
    planMs: timed('plan', work),
    statusMs: timed('status', work),
    reportMs: timed('report', work, 'tickets'),
    ledgerMb: Math.round(statSync(join(work, 'state/tickets/ledger.duckdb')).size / 1e6),
  };
}

function timed(verb: string, work: string, ...more: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [CLI, verb, ...more, '--root', work], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${verb} ended with ${status}: ${stderr}`);
  return Math.round(performance.now() - start);
}
