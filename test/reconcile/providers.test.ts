import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { EVERY_KIND, jobAt, repositoryAt } from '../support/providers.ts';
import { TICKETS, type World, world } from '../support/world.ts';

const KEYS = TICKETS.map(({ id }) => id);

/** Every row is applied once, and nothing was paid that is not an answer of ours. */
async function expectWhole(w: World, paid = KEYS.length): Promise<void> {
  expect((await w.rows()).map((row) => row.id)).toEqual(KEYS);
  expect(await w.paid()).toHaveLength(paid);
  expect(await w.plan(), 'a plan straight after a finished pass is empty').toEqual([]);
  const { conditions } = await w.report();
  expect(conditions.find(({ type }) => type === 'Balanced')).toMatchObject({ status: 'True' });
}

const LOST_BEFORE: readonly [string, Scenario] = [
  'B039: a create that was lost before it was done: proved absent, and sent again',
  { rules: [{ on: 'create', nth: 1, do: { when: 'before_commit', reset: true } }] },
];

describe.each(EVERY_KIND)('$kind: one job from freezing to applying', ({ kind, model }) => {
  const lives: readonly (readonly [string, Scenario])[] = [
    ['all goes well', {}],
    [
      'B039: a create whose answer was lost after it was done: adopted, and paid once',
      { rules: [{ on: 'create', nth: 1, do: { when: 'after_commit', reset: true } }] },
    ],
    [
      'B040: and which the list hides for a while',
      {
        rules: [
          { on: 'create', nth: 1, do: { when: 'after_commit', status: 500, hide_in_list_ms: 240_000 } },
        ],
      },
    ],
    ...(kind === 'anthropic' ? [] : [LOST_BEFORE]),
    [
      'B042: the queue is full for a while',
      { rules: [{ on: 'create', nth: 1, do: { status: 429, retry_after: 5 } }] },
    ],
    [
      'single requests fail, and go again',
      { rules: [{ on: 'line', batch: 1, line: [2, 5], do: { status: 503 } }] },
    ],
    ['B054: a result that is cut', { rules: [{ on: 'download', first: 1, do: { cut_at: 0.5 } }] }],
  ];
  test.each(lives)('%s', async (_title, scenario) => {
    const w = await world(repositoryAt(model), scenario);
    await w.finish();
    await expectWhole(w);
  });

  test('a new process in the middle goes on with what the old one has sent', async () => {
    const w = await world(repositoryAt(model, 'shard: { max_items: 3 }\n'));
    await w.pass();
    await w.loseMachine();
    await w.restart();
    await w.finish();
    await expectWhole(w);
  });

  test('what was refused or blocked is not bought again', async () => {
    const w = await world(repositoryAt(model), {
      rules: [{ on: 'line', line: 2, do: { answer: 'refusal' } }],
    });
    await w.finish();
    expect(await w.rows()).toHaveLength(7);
    expect((await w.report()).run?.books.dispositions).toMatchObject({ refused: 1 });
    expect(await w.paid()).toHaveLength(8);
  });
});

/** Where no batch bears a tag, nothing is proved absent before all that may be it has ended. */
const UNTAGGED: readonly (readonly [string, Scenario])[] = [
  LOST_BEFORE,
  [
    'B039: a create that was lost, and batches of somebody else that look like ours beside it',
    { rules: [{ on: 'create', nth: 1, do: { lookalikes: 2, when: 'after_commit', status: 500 } }] },
  ],
  [
    'B039: a create that came to nothing, and a batch of somebody else that looks like it',
    {
      rules: [
        {
          on: 'create',
          nth: 1,
          do: { lookalikes: 1, not_stored: true, when: 'after_commit', status: 500 },
        },
      ],
    },
  ],
];
test.each(UNTAGGED)('anthropic: %s', async (_title, scenario) => {
  const w = await world(repositoryAt('anthropic/claude-haiku-4-5'), scenario);
  await w.pass();
  await w.pass();
  expect((await w.report()).run?.books.dispositions).toEqual({ ambiguous: 8 });
  w.emulator.clock.advance(26 * 3_600_000);
  await w.finish();
  await expectWhole(w);
});

test('B051: an Anthropic batch that expires gives what it has done, and the rest is sent again', async () => {
  const w = await world(repositoryAt('anthropic/claude-haiku-4-5'), {
    rules: [{ on: 'create', nth: 1, do: { expire_with: 0.5 } }],
  });
  await w.pass();
  w.emulator.clock.advance(25 * 3_600_000);
  await w.finish();
  await expectWhole(w);
});

test('B051: a Gemini batch that expires gives nothing, and its rows are sent again', async () => {
  const w = await world(repositoryAt('gemini/gemini-3.8-flash'), {
    rules: [{ on: 'create', nth: 1, do: { expire_with: 0.5 } }],
  });
  await w.pass();
  w.emulator.clock.advance(49 * 3_600_000);
  await w.finish();
  await expectWhole(w);
});

const OTHERS = EVERY_KIND.filter(({ kind }) => kind !== 'openai').map(({ model }) => model);
test.each(OTHERS)('a job moves to %s by its model, and back without a payment', async (other) => {
  const home = 'openai/gpt-5.4-mini';
  const files = repositoryAt(home);
  const w = await world(files);
  await w.finish();
  await w.write(jobAt(files, other));
  await w.finish();
  await expectWhole(w, 16);
  await w.write(jobAt(files, home));
  await w.finish();
  await expectWhole(w, 16);
});

test('embeddings move as any job does', async () => {
  const files = repositoryAt('openai/text-embedding-3-small');
  const job = (files['jobs/tickets.yaml'] ?? '').replace(
    /^output: .*$/m,
    'output: { embedding: { dimensions: 8 } }',
  );
  const w = await world({ ...files, 'jobs/tickets.yaml': job });
  await w.finish();
  await w.write(jobAt({ 'jobs/tickets.yaml': job }, 'gemini/gemini-embedding-001'));
  await w.finish();
  await expectWhole(w, 16);
  for (const { embedding } of await w.rows())
    expect((embedding as { items: readonly number[] }).items).toHaveLength(8);
});
