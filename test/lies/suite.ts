import { expect, it } from 'vitest';
import type { ProviderName } from '../fake/model.ts';
import { findViolations } from './proof.ts';
import type { Schedule } from './schedule.ts';
import { endlessLies, mixedLies, shortLies } from './tables.ts';
import { rowFaults, sendLies } from './tables-send.ts';
import { walkThrough } from './walk.ts';

/** `WALK=all npx vitest run test/lies` goes through every schedule; without it through one of twenty-four. */
const ONE_OF = process.env.WALK === 'all' ? 1 : 24;

/** Goes through the schedules of a provider. @param turn which of them are gone through in each run, from 0 */
export function walkAt(provider: ProviderName, turn: number): void {
  const all = [shortLies, endlessLies, mixedLies, sendLies, rowFaults].flatMap((table) => table(provider));
  const chosen = all.filter((_, at) => at % ONE_OF === turn % ONE_OF);
  it.each(chosen.map((schedule): [string, Schedule] => [schedule.name, schedule]))(
    '%s',
    async (_, schedule) => {
      expect(await findViolations(await walkThrough(schedule), schedule)).toEqual([]);
    },
  );
}
