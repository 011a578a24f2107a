import { expect, it } from 'vitest';
import type { WorkflowHost } from '../support/workflow-host.ts';
import {
  charged,
  initialised,
  MINUTE,
  passUntil,
  RECONCILE,
  SLOW,
  status,
} from '../support/workflow-life.ts';

it(
  'a run that is cancelled hears of it through the shell, and a fresh machine goes on without paying twice',
  SLOW,
  async () => {
    const host = await initialised();
    await host.push('main');
    host.emulator.setScenario({ rules: [{ on: 'create', do: { delay_ms: 1_500 } }] });
    const cancelled = await host.run(RECONCILE, 'reconcile', {
      github: {},
      end: { on: 'run 1 frozen', by: 'SIGINT' },
    });
    expect(cancelled?.failed).toBe(true);
    expect(cancelled?.log).toContain('SIGINT: nothing new is started; no batch is cancelled.');
    host.emulator.setScenario({});
    await passUntil(host, 'complete');
    expect(await charged(host)).toBe(12);
  },
);

it(
  'B088: machines that vanish in the middle of a pass, one after the other, lose nothing and pay nothing twice',
  SLOW,
  async () => {
    const host = await initialised();
    await host.push('main');
    const vanished: boolean[] = [];
    for (const on of ['run 1 frozen', 'sent 10 requests', 'sent 2 requests', 'applied 12 rows']) {
      // Until the pass that gets so far: what was lost before may have to be looked for first.
      for (let passes = 0; passes < 6; passes += 1) {
        const ran = await host.run(RECONCILE, 'reconcile', { github: {}, end: { on, by: 'SIGKILL' } });
        host.emulator.clock.advance(15 * MINUTE);
        if (ran?.failed) vanished.push(true);
        if (ran?.failed || (await isComplete(host))) break;
      }
    }
    expect(vanished.length).toBeGreaterThan(2);
    await passUntil(host, 'complete');
    expect(await charged(host)).toBe(12);
    expect(await host.git('show', 'main:state/ticket-labels/README.md')).toContain('complete, books balance');
  },
);

/** Before the first report there is no page at all. */
async function isComplete(host: WorkflowHost): Promise<boolean> {
  return status(host).then(
    ({ phase }) => phase === 'complete',
    () => false,
  );
}
