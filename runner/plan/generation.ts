import { type AccountId, type Digest, digestOfValue } from '../ids.ts';
import type { SourceFiles } from '../journal/events.ts';
import type { GenerationState, JobState } from '../journal/state.ts';
import type { RunDefinition } from '../spec/job.ts';
import type { DesiredJob } from './snapshot.ts';

/** A generation is one run-defining version of a job: what is sent, from which rows, and who pays. */
export function generationDigest(defines: RunDefinition, source: SourceFiles, account: AccountId): Digest {
  return digestOfValue({ defines, source: source.digest, account });
}

export type Change =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly reason: string; readonly forcedBy: readonly string[] };

/** Whether the job as git has it needs another run than its newest, and which part of it says so. */
export function changeOf(desired: DesiredJob, known: JobState): Change {
  const run = known.runs.at(-1);
  if (run === undefined) return { kind: 'changed', reason: 'new job', forcedBy: [] };
  const before = known.generations.find((each) => each.generation === run.generation);
  if (before === undefined) return { kind: 'changed', reason: 'new job', forcedBy: [] };
  if (known.requested !== null) {
    const { reason, by } = known.requested;
    return { kind: 'changed', reason: `asked for by ${by}: ${reason}`, forcedBy: [] };
  }
  const forcedBy = changedParts(desired, before, run.account);
  if (forcedBy.length === 0) return { kind: 'same' };
  return { kind: 'changed', reason: `${listed(forcedBy)} changed`, forcedBy };
}

/** Later edits of a part whose changes the job told us not to follow are passed over. */
function changedParts(desired: DesiredJob, before: GenerationState, account: AccountId): string[] {
  const { defines, job } = desired.loaded;
  const parts: (readonly [name: string, changed: boolean])[] = [
    ['model', defines.model !== before.defines.model],
    ['prompt', defines.prompt !== before.defines.prompt],
    ['schema', defines.schema !== before.defines.schema],
    ['output', defines.output !== before.defines.output],
    ['input', defines.input !== before.defines.input],
    ['source files', job.input.refresh === 'on_change' && desired.source.digest !== before.source.digest],
    ['account', desired.account !== account],
  ];
  return parts.filter(([, changed]) => changed).map(([name]) => name);
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** What a canary tries out: model, prompts, schema and caps, not the rows. */
export function recipeDigest(defines: RunDefinition): Digest {
  return digestOfValue({
    model: defines.model,
    prompt: defines.prompt,
    schema: defines.schema,
    output: defines.output,
  });
}
