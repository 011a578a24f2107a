import fc from 'fast-check';
import { FILE_LIES, POLL_LIES, REFUSALS } from '../../fake/catalogue.ts';
import { HOUR, MINUTE } from '../../fake/clock.ts';
import type { Lie } from '../../fake/lies.ts';
import type { ProviderName } from '../../fake/model.ts';
import type { Schedule } from '../schedule.ts';
import type { Death, MortalLife, Round } from './mortal.ts';

/** Deaths in one life. A life costs as much again as some of them: it is led to its end. */
const ROUNDS = 8;

/** Lies that end while processes still die, or soon after. */
const LIES: readonly Lie[] = [
  { on: 'download', what: REFUSALS['an HTML page with status 200'] },
  { on: 'download', what: REFUSALS['an empty body'] },
  { on: 'download', what: REFUSALS['a reset'] },
  { on: 'download', what: FILE_LIES['ids are null'] },
  { on: 'download', what: { kind: 'missing_lines', count: 2 } },
  { on: 'download', what: FILE_LIES['a reset midway, in chunks'] },
  { on: 'download', what: FILE_LIES['lines of somebody else'] },
  { on: 'download', what: FILE_LIES['a line of rubbish among good ones'] },
  { on: 'poll', what: REFUSALS['a JSON error with status 200'] },
  { on: 'poll', what: POLL_LIES['counts are zero'] },
  { on: 'poll', what: POLL_LIES['no result files'] },
  // A list that shows a new batch ten minutes late is what is promised to be borne.
  { on: 'list', what: { kind: 'lag', ms: 10 * MINUTE } },
  { on: 'delete', what: REFUSALS['a reset'] },
];

const stage = fc.constantFrom('before' as const, 'done' as const, 'sent' as const);
const atCall: fc.Arbitrary<Death> = fc.record({ call: fc.integer({ min: 1, max: 6 }), stage });
const atFile: fc.Arbitrary<Death> = fc.record({ file: fc.integer({ min: 1, max: 30 }) });
const death = fc.oneof({ weight: 3, arbitrary: atCall }, { weight: 2, arbitrary: atFile });

/** Lives of a seed, at the three providers by turns. @param reconcilers how many processes run at once */
export function drawLives(seed: number, count: number, reconcilers: 1 | 2): MortalLife[] {
  return fc.sample(lifeWith(reconcilers), { seed, numRuns: count }).map(({ lies, rounds }, at) => ({
    schedule: { ...scheduleAt(PROVIDERS[at % PROVIDERS.length] ?? 'openai'), lies },
    rounds,
  }));
}

const PROVIDERS: readonly ProviderName[] = ['openai', 'anthropic', 'gemini'];

function lifeWith(reconcilers: number): fc.Arbitrary<{ lies: Lie[]; rounds: Round[] }> {
  const lie = fc.constantFrom(...LIES).map((one): Lie => ({ ...one, until: 2 * HOUR + MINUTE }));
  return fc.record({
    lies: fc.array(lie, { minLength: 1, maxLength: 2 }),
    rounds: fc.array(
      fc.record({
        deaths: fc.array(death, { minLength: reconcilers, maxLength: reconcilers }),
        pauseMinutes: fc.integer({ min: 3, max: 25 }),
      }),
      { minLength: ROUNDS, maxLength: ROUNDS },
    ),
  });
}

/** Two shards, so that two processes have something to share; a lost create of Anthropic's is proved after a day. */
function scheduleAt(provider: ProviderName): Schedule {
  return {
    name: provider,
    provider,
    lies: [],
    days: 5,
    job: 'canary: false\nshard: { max_items: 3 }\n',
    // How Anthropic's shards are cut hangs on what is under way: no two that bear no tag may have as many rows.
    ends: { as: 'applied', ...(provider === 'anthropic' ? {} : { creates: 2 }) },
  };
}
