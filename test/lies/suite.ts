import { expect, it } from 'vitest';
import type { ProviderName } from '../fake/model.ts';
import { findViolations } from './proof.ts';
import type { Schedule } from './schedule.ts';
import { endlessLies, mixedLies, shortLies } from './tables.ts';
import { rowFaults, sendLies } from './tables-send.ts';
import { walkThrough } from './walk.ts';

/** `WALK=all npx vitest run test/lies` goes through every schedule. */
const IS_ALL = process.env.WALK === 'all';

/** Goes through the schedules of a provider. @param turn from 0: which of each `oneOf` schedules is gone through */
export function walkAt(provider: ProviderName, turn: number, oneOf: number): void {
  const all = [shortLies, endlessLies, mixedLies, sendLies, rowFaults].flatMap((table) => table(provider));
  const chosen = all.filter((_, at) => IS_ALL || at % oneOf === turn % oneOf);
  it.each(chosen.map((schedule): [string, Schedule] => [schedule.name, schedule]))(
    '%s',
    async (_, schedule) => {
      expect(await findViolations(await walkThrough(schedule), schedule)).toEqual([]);
    },
  );
}
