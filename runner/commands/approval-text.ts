import { epochMs, type Instant, instantOf } from '../ids.ts';
import type { ToApprove } from '../plan/approval.ts';

/** Rounded up to a cent: a person reads it, and the run must fit. */
export function leastCeilingUsd(wanted: ToApprove & { readonly ceilingUsd: number }): number {
  return Math.max(0.01, Math.ceil((wanted.spentUsd + wanted.ceilingUsd) * 100) / 100);
}

const WEEK_MS = 7 * 86_400_000;

/** A week from now: long enough for a review, short enough to be forgotten safely. */
export function usualExpiry(now: Instant): string {
  return instantOf(epochMs(now) + WEEK_MS).slice(0, 10);
}

/** The file that approves a run, as a person commits it. */
export async function approvalText(
  job: string,
  wanted: ToApprove,
  ceilingUsd: number,
  expires: string,
): Promise<string> {
  const { stringify } = await import('yaml');
  const body = stringify({
    apiVersion: 'batchwright/v1',
    job,
    generation: wanted.generation,
    defines: wanted.defines,
    ceiling_usd: ceilingUsd,
    max_requests: Math.max(1, wanted.requests),
    expires,
  });
  const schema = '# yaml-language-server: $schema=../schemas/batchwright/approval.schema.json';
  return `${schema}\n# Written by \`batchwright approve ${job}\`. An edit of the job makes it void.\n${body}`;
}
