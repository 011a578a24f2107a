import type { Bound, Duck } from '../duck.ts';
import { isDuckError, machineTroubleOf } from '../machine-trouble.ts';
import { isBrokenLedger } from './places.ts';

/**
 * Asks whatever DuckDB of a ledger is open. A question may be put twice, so that it must leave nothing behind where it
 * fails; and it asks the one that it is given and no other, or it would wait for itself.
 */
export type Ask = <Answer>(question: (duck: Duck) => Promise<Answer>) => Promise<Answer>;

export interface Healing {
  /** The one that is open now. */
  current(): Duck;
  /** Closes it and opens one that is made anew. */
  remake(): Promise<void>;
  /** @throws DamagedFiles */
  proveFiles(): Promise<void>;
}

/**
 * A damaged block of a ledger shows only when somebody reads it: then the ledger is made anew, and asked once more. Where a
 * stored file is what cannot be read, that is said instead of what DuckDB says of it.
 */
export function healingAsk({ current, remake, proveFiles }: Healing): Ask {
  const running = new Set<Promise<unknown>>();
  let remaking: Promise<void> | null = null;

  /** Closed under another question, the connection of that one would be gone while its thread still uses it. */
  function heal(): Promise<void> {
    remaking ??= Promise.allSettled(running)
      .then(remake)
      .finally(() => {
        remaking = null;
      });
    return remaking;
  }

  async function once<Answer>(duck: Duck, question: (duck: Duck) => Promise<Answer>): Promise<Answer> {
    const answer = question(duck);
    running.add(answer);
    try {
      return await answer;
    } finally {
      running.delete(answer);
    }
  }

  return async (question) => {
    await remaking;
    const asked = current();
    try {
      return await once(asked, question);
    } catch (error) {
      if (isBrokenLedger(error)) {
        if (asked === current()) await heal();
        return once(current(), question);
      }
      if (isDuckError(error) && machineTroubleOf(error) === null) await proveFiles();
      throw error;
    }
  };
}

/** The same as a DuckDB, for the many who put one statement at a time. */
export function askedDuck(ask: Ask, current: () => Duck): Duck {
  return {
    get instance() {
      return current().instance;
    },
    get connection() {
      return current().connection;
    },
    run: (sql: string, values?: Bound) => ask((duck) => duck.run(sql, values)),
    rows: <Row>(sql: string, values?: Bound) => ask((duck) => duck.rows<Row>(sql, values)),
    close: () => current().close(),
  };
}
