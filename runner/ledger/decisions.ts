import type { Duck } from '../duck.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import { decide, type Tries } from '../outcome/decide.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import type { RetrySpec } from '../spec/job.ts';
import type { ProjectionInput } from './input.ts';
import { widestRanges } from './ranges.ts';

/** Works the policy out for the few combinations that occur, so that SQL and code cannot decide differently. */
export async function projectDecisions(duck: Duck, retry: RetrySpec): Promise<void> {
  await duck.run('DELETE FROM decision_rule');
  for (const each of await casesThatOccur(duck)) {
    await duck.run(
      'INSERT INTO decision_rule VALUES ($class, $used, $invalid, $truncated, $by_us, $revised, $pardoned, $decision)',
      {
        class: each.last_class,
        used: each.used,
        invalid: each.invalid_output,
        truncated: each.truncated,
        by_us: each.cancelled_by_us,
        revised: each.revised,
        pardoned: each.pardoned,
        decision: decide(each.last_class, triesOf(each), retry),
      },
    );
  }
}

/** Whether the rules in the table are those of this code and this policy: an update may decide otherwise. */
export async function decisionsHold(duck: Duck, retry: RetrySpec): Promise<boolean> {
  const rules = await duck.rows<DecisionCase & { readonly decision: string }>(
    'SELECT class::VARCHAR AS last_class, * EXCLUDE (class) FROM decision_rule',
  );
  return rules.every((rule) => decide(rule.last_class, triesOf(rule), retry) === rule.decision);
}

async function casesThatOccur(duck: Duck): Promise<Iterable<DecisionCase>> {
  const cases = new Map<string, DecisionCase>();
  const add = (found: readonly DecisionCase[]) => {
    for (const each of found) cases.set(JSON.stringify(each), each);
  };
  add(await duck.rows<DecisionCase>(`SELECT DISTINCT ${CASE} FROM kept_tries`));
  for (const [first, last] of await widestRanges(duck)) {
    add(
      await duck.rows<DecisionCase>(
        `SELECT DISTINCT ${CASE} FROM item_tries WHERE ordinal BETWEEN ${first} AND ${last}`,
      ),
    );
  }
  return cases.values();
}

const CASE =
  'last_class::VARCHAR AS last_class, used, invalid_output, truncated, cancelled_by_us, revised, pardoned';

interface DecisionCase {
  readonly last_class: OutcomeClass;
  readonly used: number;
  readonly invalid_output: number;
  readonly truncated: number;
  readonly cancelled_by_us: boolean;
  readonly revised: boolean;
  readonly pardoned: boolean;
}

function triesOf(each: DecisionCase): Tries {
  return {
    used: each.used,
    invalidOutput: each.invalid_output,
    truncated: each.truncated,
    cancelledByUs: each.cancelled_by_us,
    revised: each.revised,
    pardoned: each.pardoned,
  };
}

/** What decides about a closed attempt besides the attempts themselves, to be compared. */
export function policyOf({ retry, state, job }: ProjectionInput): string {
  const { runs } = jobState(state, job);
  const released = runs.flatMap((run) => intentsOf(state, run)).map((intent) => intent.released);
  return JSON.stringify([retry, runs.map(({ pardons }) => pardons), released]);
}
