import { expect, it } from 'vitest';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { plan } from '../../runner/plan/plan.ts';
import { accepted, frozen, generation, intent, intentId, JOB, settled, stateOf } from '../support/journal.ts';
import { inMinutes, observed, snapshot } from '../support/plan.ts';

it.each([
  ['for a while', 60, 'waiting'],
  ['for hours', 200, 'blocked'],
  ['for days', 20_000, 'blocked'],
] as const)('results that could be had once, and not %s since', (_, minutes, kind) => {
  const look: JournalEvent = {
    type: 'raw.collected',
    intent: intentId(1),
    job: JOB.name,
    state: 'completed',
    files: [],
    gone: [],
    counts: null,
  };
  const state = stateOf(
    [generation(), frozen()],
    [intent(1)],
    [accepted(1, { state: 'completed', endedAt: inMinutes(1) })],
    [look],
    [settled(1, { ok: 99, unreadable: 1 })],
    [{ type: 'download.failed', intent: intentId(1), job: JOB.name, status: 500, about: 'server' }],
  );
  const { rests } = plan(
    snapshot({
      state,
      now: inMinutes(minutes),
      run: observed({ dispositions: { applied: 99, unreadable: 1 } }),
    }),
  );
  expect(rests).toMatchObject([{ reason: 'ResultsUnreadable', kind }]);
});
