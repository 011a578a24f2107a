import { COMMITTED, REFUSALS, ROW_FAULTS } from '../fake/catalogue.ts';
import { HOUR, MINUTE } from '../fake/clock.ts';
import type { Lie } from '../fake/lies.ts';
import type { ProviderName } from '../fake/model.ts';
import type { Schedule } from './schedule.ts';

const NO_CANARY = 'canary: false\n';

/** Each lie about uploads and creates, told once or for an hour, alone and with lists that lie too: never a second batch. */
export function sendLies(provider: ProviderName): Schedule[] {
  const lost: Lie = { on: 'create', what: COMMITTED['done, then a reset'], times: 1 };
  const lists: [string, Lie][] = [
    ['ten minutes late', { on: 'list', what: { kind: 'lag', ms: 10 * MINUTE }, until: 2 * HOUR }],
    ['empty for ten minutes', { on: 'list', what: { kind: 'empty_page' }, until: 10 * MINUTE }],
    ['a page for an hour', { on: 'list', what: REFUSALS['an HTML page with status 200'], until: HOUR }],
    ['a JSON error for an hour', { on: 'list', what: REFUSALS['a JSON error with status 200'], until: HOUR }],
    ['broken for an hour', { on: 'list', what: REFUSALS['a reset'], until: HOUR }],
  ];
  const told: [string, Lie[]][] = [
    ...Object.entries(COMMITTED).map(([name, what]): [string, Lie[]] => [
      `create: ${name}`,
      [{ on: 'create', what, times: 1 }],
    ]),
    ...Object.entries(REFUSALS).map(([name, what]): [string, Lie[]] => [
      `create: ${name}`,
      [{ on: 'create', what, times: 1 }],
    ]),
    ...lists.map(([name, lie]): [string, Lie[]] => [`a lost create, and the list is ${name}`, [lost, lie]]),
    ...Object.entries(provider === 'anthropic' ? {} : REFUSALS).map(([name, what]): [string, Lie[]] => [
      `upload: ${name}`,
      [{ on: 'upload', what, until: HOUR }],
    ]),
  ];
  return [
    ...told.map(
      ([name, lies]): Schedule => ({
        name,
        provider,
        lies,
        days: 4,
        job: NO_CANARY,
        ends: name.endsWith('status 404') ? { as: 'told' } : { as: 'applied', creates: 1 },
      }),
    ),
    blindList(provider),
  ];
}

/** The second of two creates is lost, and the list is an empty page for five hours: it leaves out the first, which runs. */
function blindList(provider: ProviderName): Schedule {
  return {
    name: 'a lost create, and a list that is empty beside a batch that runs',
    provider,
    lies: [
      { on: 'create', what: COMMITTED['done, then a reset'], batch: 2, times: 1 },
      { on: 'list', what: { kind: 'empty_page' }, until: 5 * HOUR },
    ],
    plan: { runMs: 6 * HOUR },
    days: 4,
    rows: 5,
    job: `${NO_CANARY}shard: { max_items: 3 }\n`,
    ends: { as: 'applied', creates: 2 },
  };
}

/** Each fault of the model at one row, the first time or always, while the results are a page for a while. */
export function rowFaults(provider: ProviderName): Schedule[] {
  const page: Lie = {
    on: 'download',
    what: REFUSALS['an HTML page with status 200'],
    afterEnd: { from: 0, until: 20 * MINUTE },
  };
  return Object.entries(ROW_FAULTS)
    .filter(([name]) => !name.includes('vector'))
    .map(([name, what]) => ({
      name: `a row with ${name}, always`,
      provider,
      lies: [page, { on: 'row', what, when: ({ prompt }) => prompt.includes('number 3 ') }],
      // Want of room is told after a day of asking.
      days: what.kind === 'row_error' ? 5 : 2,
      job: NO_CANARY,
      ends: { as: 'told' },
      // What the model itself has said is judged, and may be asked again by the job's own policy.
      rebuys: ['invalid_output', 'truncated', 'provider_error'],
    }));
}
