import { expect, it } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { findViolations } from '../proof.ts';
import { drawLives } from './lives.ts';
import { liveAndDie } from './mortal.ts';

/** `KILL_LIVES=15 npx vitest run test/lies/kills` lives so many lives of each kind, `KILL_SEED=7` other ones. */
const LIVES = Number(process.env.KILL_LIVES ?? 1);
const SEED = Number(process.env.KILL_SEED ?? 1);

it.each([1, 2] as const)(
  '%i reconcilers that get a SIGKILL at random moments, while a gateway lies',
  {
    timeout: 400_000 * LIVES,
  },
  async (reconcilers) => {
    const cache = await testFolder();
    let kills = 0;
    const failures: string[] = [];
    for (const [at, life] of drawLives(SEED, LIVES, reconcilers).entries()) {
      const lived = await liveAndDie(life, cache);
      kills += lived.kills;
      const found = [...lived.failures, ...(await findViolations(lived.walk, life.schedule))];
      failures.push(...found.map((what) => `life ${at}, ${JSON.stringify(life)}: ${what}`));
      await lived.walk.end();
    }
    if (process.env.KILL_LIVES !== undefined) process.stdout.write(`${kills} kills\n`);
    expect(failures).toEqual([]);
    expect(kills, 'deaths that came in time').toBeGreaterThan(2 * LIVES);
  },
);
