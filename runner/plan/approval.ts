import type { AccountId, Digest, Instant } from '../ids.ts';
import type { Approval, ApprovedParts } from '../spec/approval.ts';
import type { RunDefinition } from '../spec/job.ts';

/** What a run would be, as an approval names it. */
export interface ToApprove {
  readonly generation: number;
  readonly defines: ApprovedParts;
  readonly requests: number;
  /** The most that the run may cost. USD; null: unknown. */
  readonly ceilingUsd: number | null;
  /** What earlier runs of the generation have cost and may still. USD. */
  readonly spentUsd: number;
}

/** So many hex digits tell versions of one job apart, and a person can compare them. */
const DIGITS = 8;

export function approvedParts(defines: RunDefinition, source: Digest, account: AccountId): ApprovedParts {
  const short = (digest: Digest) => digest.slice(0, DIGITS);
  return {
    model: short(defines.model),
    prompt: short(defines.prompt),
    schema: defines.schema === null ? null : short(defines.schema),
    input: short(defines.input),
    output: short(defines.output),
    source: short(source),
    account,
  };
}

/** Pure: why the approval does not cover the run, in words that go on from "the approval"; null where it does. */
export function whyNotCovered(approval: Approval, wanted: ToApprove, now: Instant): string | null {
  const changed = PARTS.filter((part) => approval.defines[part] !== wanted.defines[part]);
  if (changed.length > 0) return `is for another ${listed(changed)}`;
  if (approval.generation !== wanted.generation)
    return `is for generation ${approval.generation}, the job is at ${wanted.generation}`;
  if (now.slice(0, 10) > approval.expires) return `ended on ${approval.expires}`;
  if (approval.maxRequests !== null && wanted.requests > approval.maxRequests)
    return `allows ${approval.maxRequests} requests, the run would send ${wanted.requests}`;
  if (wanted.ceilingUsd === null) return 'names a ceiling, and the price of the run is unknown';
  const total = wanted.spentUsd + wanted.ceilingUsd;
  if (total <= approval.ceilingUsd + ROUNDING_USD) return null;
  return `allows $${approval.ceilingUsd.toFixed(2)}, the runs of this generation may cost $${total.toFixed(2)}`;
}

const PARTS = ['model', 'prompt', 'schema', 'input', 'output', 'source', 'account'] as const;

/** `approve` writes cents, rounded up. */
const ROUNDING_USD = 1e-9;

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
