import fc from 'fast-check';
import { it } from 'vitest';
import { liveThrough, type Program } from '../support/program.ts';
import { programs } from './arbitrary.ts';
import { expectAnyLifeSound } from './sound.ts';

/** `PROPERTY_RUNS=10000 npx vitest run test/property` lives ten thousand programs, `PROPERTY_SEED` other ones. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 60);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

/** A part is a test of its own: what a world leaves in memory goes with its test. */
const PART = 100;

const parts = Array.from({ length: Math.ceil(RUNS / PART) }, (_, at) => at);

it.each(parts)(
  'whatever happens to a job, nothing is paid twice and nothing paid is lost (part %i)',
  {
    timeout: 1_200_000,
  },
  async (part) => {
    const seed = SEED + part;
    const outcome = await fc.check(fc.asyncProperty(programs, isSound), {
      seed,
      numRuns: Math.min(PART, RUNS - part * PART),
      interruptAfterTimeLimit: 900_000,
      endOnFailure: false,
    });
    if (!outcome.failed) return;
    const program = JSON.stringify(outcome.counterexample?.[0], null, 1);
    const why = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : '';
    throw new Error(`${why}\nseed ${seed}; put this into test/property/programs/NAME.json:\n${program}`);
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
