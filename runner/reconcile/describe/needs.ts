import type { NeedyGroup } from '../../ledger/needs.ts';
import type { OutcomeClass } from '../../outcome/outcome.ts';
import type { Need } from '../../report/report.ts';
import type { Job } from '../../spec/job.ts';

/** Pure: one line a class, with its top cause; most rows first. `next`: what lifts the stop of the run, if it has one. */
export function needsOf(groups: readonly NeedyGroup[], job: Job, next: string | null): Need[] {
  const classes = [...new Set(groups.map((group) => group.class))];
  return classes
    .map((of) =>
      needOf(
        of,
        groups.filter((group) => group.class === of),
        (group) => adviseOn(group, job, next),
      ),
    )
    .sort((a, b) => b.rows - a.rows);
}

/** Where all rows of a shard stopped the run, one thing is to be done about all of them. */
export function adviseOn(
  { class: of, stopped }: Pick<NeedyGroup, 'class' | 'stopped'>,
  job: Job,
  next: string | null,
): string {
  return stopped && next !== null ? next : nextStep(of, job);
}

function needOf(
  of: Need['class'],
  groups: readonly NeedyGroup[],
  advise: (group: NeedyGroup) => string,
): Need {
  const [top] = groups;
  return {
    rows: groups.reduce((sum, group) => sum + group.rows, 0),
    class: of,
    cause: top?.cause ?? '',
    causeRows: top?.rows ?? 0,
    examples: top?.examples ?? [],
    next: top === undefined ? '' : advise(top),
  };
}

/** What a person can do about rows that ended so. */
export function nextStep(of: OutcomeClass | 'set_aside', job: Job): string {
  switch (of) {
    case 'set_aside':
      return 'mend the row at its source; the changed file is a new run, which sends only what is new';
    case 'invalid_output':
      // Held by an edited check, they were not tried again at all.
      return `held, \`retry.invalid_output\` is ${job.retry.invalidOutput}: make the prompt or the schema clearer`;
    case 'truncated':
      return `raise \`output.max_tokens\` (now ${job.output.maxTokens}), or allow one retry with \`retry.truncated.max_tokens\``;
    case 'invalid_request':
      return 'shorten or drop the row; it is never sent again unchanged';
    case 'refused':
      return 'for the compliance list; it is never sent again';
    case 'expired':
    case 'provider_error':
    case 'missing':
      return `batchwright retry ${job.name} --class ${of}`;
    case 'unreadable':
      return `downloaded again by itself; to pay for another try: batchwright retry ${job.name} --class unreadable`;
    case 'lost':
      return `the provider has deleted the results; to pay for another try: batchwright retry ${job.name} --class lost`;
    case 'conflict':
      return 'two different answers came for one row: read both in the raw file';
    case 'cancelled':
      return `batchwright retry ${job.name} --class cancelled`;
    case 'rate_or_capacity':
    case 'account':
      return 'sent again when the account allows';
    case 'ok':
    case 'duplicate':
    case 'late':
      return '';
    default:
      return of satisfies never;
  }
}
