import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runPasses } from '../../runner/commands/passes.ts';
import { runStatus } from '../../runner/commands/status.ts';
import { type Instant, instantOf } from '../../runner/ids.ts';
import type { IntentState } from '../../runner/journal/state.ts';
import { isLookOwed, jobLooks, type LastLooks, lookAfter } from '../../runner/reconcile/poll/looks.ts';
import { copiesOf, documentOf, printed } from '../support/reading.ts';
import { repository, world } from '../support/world.ts';

const START = '2026-11-30T09:00:00.000Z' as Instant;
const PACING = { pollMs: 60_000, mostPollMs: 600_000 };

it.each([
  ['a young batch: the pacing', '2026-11-30T09:00:00.000Z', PACING, 30_000, '2026-11-30T09:01:00.000Z'],
  ['a sixtieth of its age', '2026-11-30T12:00:00.000Z', PACING, 30_000, '2026-11-30T12:03:00.000Z'],
  ['ten hours: ten minutes', '2026-11-30T19:00:00.000Z', PACING, 30_000, '2026-11-30T19:10:00.000Z'],
  ['never more than ten minutes', '2026-12-02T09:00:00.000Z', PACING, 30_000, '2026-12-02T09:10:00.000Z'],
  [
    'never less than the provider allows',
    '2026-11-30T09:00:00.000Z',
    { pollMs: 250, mostPollMs: 1_000 },
    30_000,
    '2026-11-30T09:00:30.000Z',
  ],
])('the next look: %s', (_, last, pacing, leastMs, next) => {
  const intent = { batch: { createdAt: START }, at: START } as IntentState;
  expect(lookAfter(intent, last as Instant, pacing, leastMs)).toBe(next);
});

it.each([
  ['a batch of this hour', '2026-11-30T09:44:59.000Z', null, false],
  ['one that nobody left word of', '2026-11-30T09:45:00.000Z', null, true],
  ['one that was looked at lately', '2026-11-30T19:44:59.000Z', '2026-11-30T19:00:00.000Z', false],
  ['one that was looked at long ago', '2026-11-30T19:45:00.000Z', '2026-11-30T19:00:00.000Z', true],
  ['one that is to be looked at in the future', '2026-11-30T19:00:00.000Z', '2026-11-30T19:00:01.000Z', true],
] as const)('a look by itself: %s', (_, now, last, owed) => {
  const intent = { intent: 'i', at: START } as unknown as IntentState;
  const alone: LastLooks = last === null ? new Map() : new Map([[intent.intent, last as Instant]]);
  expect(isLookOwed(intent, alone, now as Instant)).toBe(owed);
});

/** A batch that runs for two hours, left by a reconciler after half of one. */
const underWay = copiesOf(async () => {
  const w = await world(repository(), { phases: { running_ms: 7_200_000 } });
  await runPasses({
    session: { context: () => w.context(), close: async () => {} },
    again: true,
    until: instantOf(w.emulator.clock.now() + 1_800_000),
    stopping: () => false,
    sleep: async (ms) => w.emulator.clock.advance(Math.max(ms, 60_000)),
    onPass: () => {},
  });
  return w;
});

interface Looks {
  readonly looks: readonly { job: string; looked_at: Instant | null; next_look: Instant | null }[];
}

it('status says when a batch was looked at and when it is seen again, to people and to programs', async () => {
  const root = await underWay();
  const { document } = await documentOf<Looks>(root, (common) => runStatus({ ...common, jobs: [] }));
  const look = document.looks[0];
  expect(document.looks).toHaveLength(1);
  expect(look?.job).toBe('tickets');
  const [last, next] = [Date.parse(look?.looked_at ?? ''), Date.parse(look?.next_look ?? '')];
  expect(next).toBeGreaterThan(last);
  const { text } = await printed(root, (common) => runStatus({ ...common, jobs: [] }));
  expect(text).toContain(
    `tickets: looked at ${look?.looked_at?.slice(11, 19)}; with --watch again from ${look?.next_look?.slice(11, 19)} UTC on, else by the next pass`,
  );
});

it.each(['', 'null', '[]', '{"x":', '{"x": 7}', '{"last":{"x": "yesterday"}}'])(
  'status makes do without what the last reconciler left: %j',
  async (left) => {
    const root = await underWay();
    await writeFile(join(root, 'state/.work/looks.json'), left);
    const { code, text } = await printed(root, (common) => runStatus({ ...common, jobs: [] }));
    expect(code).toBe(0);
    expect(text).toContain('tickets: the next pass looks at its batches');
  },
);

it('says nothing of looks where no batch is under way', async () => {
  const w = await world(repository());
  await w.finish();
  expect(jobLooks(await w.context(), new Map())).toEqual([]);
  const { text } = await printed(w.root, (common) => runStatus({ ...common, jobs: [] }));
  expect(text).not.toContain('look');
});
