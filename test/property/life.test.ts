import { join } from 'node:path';
import { it } from 'vitest';
import { liveThrough, type Program } from '../support/program.ts';
import { keepFailure, smallestFailure } from './smallest.ts';
import { expectAnyLifeSound } from './sound.ts';

/**
 * `PROPERTY_RUNS=10000 npx vitest run test/property` lives ten thousand programs, `PROPERTY_SEED=7` other ones. A
 * failure is made smaller and kept as a file of `test/property/programs`, where it is lived each time.
 */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 200);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

/** So many programs are one test: what their worlds leave in memory goes with it. */
const PART = 100;

const parts = Array.from({ length: Math.ceil(RUNS / PART) }, (_, at) => at);

it.each(parts)(
  'nothing is paid twice and nothing paid is lost, whatever happens to a job (part %i)',
  {
    timeout: 3_600_000,
  },
  async (part) => {
    const seed = SEED + part;
    const numRuns = Math.min(PART, RUNS - part * PART);
    const failure = await smallestFailure(isSound, { seed, numRuns });
    if (failure === null) return;
    const file = keepFailure(failure, join(import.meta.dirname, 'programs'));
    throw new Error(`${failure.why}\nPROPERTY_SEED=${seed}, path ${failure.path}; it is kept as ${file}`);
  },
);

async function isSound(program: Program): Promise<void> {
  const w = await liveThrough(program);
  try {
    await expectAnyLifeSound(w);
  } finally {
    await w.end();
  }
}
