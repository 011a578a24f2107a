import { join } from 'node:path';
import { it } from 'vitest';
import { liveThrough, type Program } from '../support/program.ts';
import { keepFailure, smallestFailure } from './smallest.ts';
import { expectAnyLifeSound } from './sound.ts';

/**
 * `PROPERTY_RUNS=10000 npx vitest run test/property` lives ten thousand programs, `PROPERTY_SEED=1001` other ones. A
 * failure is made smaller and kept as a file of `test/property/programs`, where it is lived each time.
 */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 80);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

/** At most so many programs have one seed and are one test: what their worlds leave in memory goes with it. */
const MOST = 50;

/** The `file`-th of so many shares (from 1) of the programs, at least one: files share the work between workers. */
export function liveRandomPrograms(file: number, of: number): void {
  const mine = Math.max(1, Math.ceil((RUNS - file + 1) / of));
  const parts = Array.from({ length: Math.ceil(mine / MOST) }, (_, part) => part);
  it.each(parts.map((part) => [SEED + part * of + file - 1, Math.min(MOST, mine - part * MOST)]))(
    'nothing is paid twice and nothing paid is lost, whatever happens to a job (seed %i, %i programs)',
    { timeout: 3_600_000 },
    liveProgramsOf,
  );
}

async function liveProgramsOf(seed: number, numRuns: number): Promise<void> {
  const failure = await smallestFailure(isSound, { seed, numRuns });
  if (failure === null) return;
  const file = keepFailure(failure, join(import.meta.dirname, 'programs'));
  throw new Error(`${failure.why}\nseed ${seed}, path ${failure.path}; it is kept as ${file}`);
}

async function isSound(program: Program): Promise<void> {
  const w = await liveThrough(program);
  try {
    await expectAnyLifeSound(w);
  } finally {
    await w.end();
  }
}
