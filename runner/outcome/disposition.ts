/** What became of an item of a run: exactly one of these; their counts add up to the manifest. */
export const DISPOSITIONS = [
  'applied',
  'reused',
  'valid_not_applied',
  'held',
  'failed',
  'refused',
  'set_aside',
  'retired',
  'superseded',
  'in_flight',
  'ambiguous',
  'unreadable',
  'waiting',
  'unsent',
  'withdrawn',
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

/** What is done about the last failed attempt of an item; `none` where it has no closed attempt. */
export const DECISIONS = ['none', 'retry', 'later', 'await', 'hold', 'fail', 'refuse', 'stall'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Everything that decides an item's disposition, each from a small closed set: the function can be enumerated. */
export interface ItemFacts {
  /** The row could not be sent and was set aside when the run was frozen. */
  readonly problem: boolean;
  /**
   * What is known for (account, request hash): bought by this item, bought by another item or an earlier run,
   * or an end that no retry changes and that carries over.
   */
  readonly verdict: Verdict;
  /** The sinks hold everything settled up to this answer. */
  readonly applied: boolean;
  /** An open attempt at this request, ours or that of an item with the same request. */
  readonly flight: 'none' | 'live' | 'ambiguous';
  readonly decision: Decision;
  readonly standing: 'current' | 'superseded' | 'retired' | 'withdrawn';
}

export const VERDICTS = ['none', 'own', 'reused', 'refused', 'invalid_request'] as const;
export type Verdict = (typeof VERDICTS)[number];
export const FLIGHTS = ['none', 'live', 'ambiguous'] as const;
export const STANDINGS = ['current', 'superseded', 'retired', 'withdrawn'] as const;

/** Total. Read downwards: what was paid for and is there beats what is under way, which beats what might come. */
export function dispositionOf(facts: ItemFacts): Disposition {
  if (facts.problem) return 'set_aside';
  if (facts.verdict === 'own') return facts.applied ? 'applied' : unapplied(facts);
  if (facts.verdict === 'reused') return facts.applied ? 'reused' : unapplied(facts);
  if (facts.flight === 'live') return 'in_flight';
  if (facts.flight === 'ambiguous') return 'ambiguous';
  if (facts.verdict === 'refused') return 'refused';
  if (facts.verdict === 'invalid_request') return 'failed';
  if (facts.standing !== 'current') return facts.standing;
  return pending(facts.decision);
}

/** An answer that no sink will take any more belongs to where its run stands. */
function unapplied(facts: ItemFacts): Disposition {
  return facts.standing === 'current' ? 'valid_not_applied' : facts.standing;
}

function pending(decision: Decision): Disposition {
  switch (decision) {
    case 'none':
      return 'unsent';
    case 'retry':
    case 'later':
    case 'stall':
      return 'waiting';
    case 'await':
      return 'unreadable';
    case 'hold':
      return 'held';
    case 'fail':
      return 'failed';
    case 'refuse':
      return 'refused';
    default:
      return decision satisfies never;
  }
}

/** Every combination of facts with its disposition: the ledger keeps this as a table, so SQL and code cannot differ. */
export function* allDispositions(): Generator<ItemFacts & { readonly disposition: Disposition }> {
  for (const problem of [false, true])
    for (const verdict of VERDICTS)
      for (const applied of [false, true])
        for (const flight of FLIGHTS)
          for (const decision of DECISIONS)
            for (const standing of STANDINGS) {
              const facts: ItemFacts = { problem, verdict, applied, flight, decision, standing };
              yield { ...facts, disposition: dispositionOf(facts) };
            }
}
