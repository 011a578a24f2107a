import { describe, expect, it } from 'vitest';
import { repository, world } from '../support/world.ts';

const SETTINGS = repository()['batchwright.yaml'] ?? '';

describe('suspend in the settings', () => {
  it('holds every job: what is in flight is collected, nothing new is sent or applied', async () => {
    const w = await world(repository('shard: { max_items: 4, max_in_flight: 1 }\n'));
    await w.pass();
    await w.write({ 'batchwright.yaml': `${SETTINGS}suspend: { reason: audit of the account }\n` });
    const fleet = await w.finish();
    expect(fleet.jobs[0]?.phase).toBe('suspended');
    expect(await w.paid()).toHaveLength(4);
    expect((await w.report()).run?.books.dispositions).toMatchObject({ valid_not_applied: 4, unsent: 4 });
    await w.write({ 'batchwright.yaml': SETTINGS });
    await w.finish();
    expect(await w.rows()).toHaveLength(8);
  });

  it('ends by itself on its day, and then the job’s own holds', async () => {
    const w = await world(repository('suspend: waiting for legal\n'));
    await w.write({ 'batchwright.yaml': `${SETTINGS}suspend: { reason: audit, until: 2026-12-01 }\n` });
    const { rests } = await w.pass();
    expect(rests[0]?.message).toContain('audit');
    w.emulator.clock.set('2026-12-02T00:00:00Z');
    expect((await w.pass()).rests[0]?.message).toContain('waiting for legal');
    expect(await w.paid()).toEqual([]);
  });
});
