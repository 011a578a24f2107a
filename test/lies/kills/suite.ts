import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findViolations } from '../proof.ts';
import { drawLives } from './lives.ts';
import { liveAndDie } from './mortal.ts';

/** `KILL_LIVES=18 npx vitest run test/lies/kills` lives so many lives of each kind, `KILL_SEED=7` other ones. */
const LIVES = process.env.KILL_LIVES === undefined ? null : Number(process.env.KILL_LIVES);
const SEED = Number(process.env.KILL_SEED ?? 1);

/** Code as Node has compiled it: 0.5 s of processor time for a process in place of 1.3 s. It is kept between runs. */
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

/** Lives with so many processes at once. @param usual how many lives where nobody asks for a number */
export function killWith(reconcilers: 1 | 2, usual: number): void {
  const count = LIVES ?? usual;
  it(`${reconcilers} at once, killed at random moments while a gateway lies: ${count} lives of seed ${SEED}`, {
    timeout: 400_000 * count,
  }, async () => {
    const { kills, failures } = await liveAll(reconcilers, count);
    // The figure that the long walk is for.
    if (LIVES !== null) process.stdout.write(`${kills} processes were killed\n`);
    expect(failures).toEqual([]);
    expect(kills, 'deaths that came in time').toBeGreaterThan(2 * count);
  });
}

async function liveAll(reconcilers: 1 | 2, count: number): Promise<{ kills: number; failures: string[] }> {
  let kills = 0;
  const failures: string[] = [];
  for (const [at, life] of drawLives(SEED, count, reconcilers).entries()) {
    const lived = await liveAndDie(life, CACHE);
    kills += lived.kills;
    const found = [...lived.failures, ...(await findViolations(lived.walk, life.schedule))];
    failures.push(...found.map((what) => `life ${at}, ${JSON.stringify(life)}: ${what}`));
    await lived.walk.end();
  }
  return { kills, failures };
}
