import { describe, expect, it } from 'vitest';
import { runScenarios } from '../../runner/commands/rehearse-scenario.ts';
import { shippedScenarios } from '../../runner/commands/scenarios.ts';
import { EVERY_KIND, repositoryAt } from '../support/providers.ts';
import { copiesOf, printed } from '../support/reading.ts';
import { world } from '../support/world.ts';

/** Thirty tickets, so that each rule of each scenario meets some. */
const ROWS = Array.from({ length: 30 }, (_, n) => ({
  id: `T-${n}`,
  text: `Ticket ${n}: the bell is silent`,
}));
const OPENAI = 'openai/gpt-5.4-mini';
const FRESH = new Map(
  EVERY_KIND.map(({ model }) => [model, copiesOf(async () => world(repositoryAt(model, '', ROWS)))]),
);
const fresh = (model = OPENAI) => FRESH.get(model)?.() ?? Promise.reject(new Error(`nobody has ${model}`));

interface Lived {
  readonly name: string;
  readonly ended: boolean;
  readonly took_ms: number;
  readonly timeline: readonly { readonly text: string }[];
  readonly charged: { readonly requests: number; readonly again: number; readonly input_tokens: number };
  readonly settled: { readonly input_tokens: number };
  readonly jobs: readonly [
    {
      readonly phase: string;
      readonly run: { readonly counts: { readonly in_sinks: number; readonly balanced: boolean } };
    },
  ];
}

async function lived(scenario: string, model?: string): Promise<readonly Lived[]> {
  const root = await fresh(model);
  const { text } = await printed(root, (common) =>
    runScenarios({ ...common, json: true, jobs: [], scenarios: [scenario], err: () => {} }),
  );
  return (JSON.parse(text) as { scenarios: Lived[] }).scenarios;
}

/** How each ends. `again`: rows that were asked twice, each for a reason that stands in the books. */
const ENDS: Readonly<Record<string, { applied: number; again: number; phase?: string }>> = {
  'all-failed': { applied: 30, again: 0 },
  cancelled: { applied: 11, again: 0, phase: 'stalled' },
  'doubled-lines': { applied: 27, again: 0, phase: 'complete with failures' },
  'empty-error-file-id': { applied: 30, again: 0 },
  expiring: { applied: 30, again: 0 },
  'foreign-lines': { applied: 29, again: 0, phase: 'stalled' },
  'hidden-list': { applied: 30, again: 0 },
  'look-alikes': { applied: 30, again: 0 },
  'lost-create': { applied: 30, again: 0 },
  'missing-lines': { applied: 27, again: 0, phase: 'stalled' },
  'not-found': { applied: 30, again: 0 },
  'queue-full': { applied: 30, again: 0 },
  'spend-limit': { applied: 30, again: 0 },
  'stuck-finalizing': { applied: 30, again: 0 },
  'truncated-download': { applied: 30, again: 0 },
  'wrong-counts': { applied: 30, again: 0 },
};

it('the set that comes with the program is the one that is tested here', async () => {
  expect(await shippedScenarios()).toEqual([...Object.keys(ENDS), 'rough-day'].sort());
});

/** Rows that were paid for have no result that can be read: what they cost is not known. */
const UNREAD: ReadonlySet<string> = new Set(['foreign-lines', 'missing-lines']);

/** Gemini gives no results of a batch that was cancelled, and bills none. */
const NOTHING_OF_CANCELLED = 'gemini';

describe.each(EVERY_KIND)('at $kind', ({ kind, model }) => {
  it.each(Object.entries(ENDS))(
    '%s ends with balanced books, and nothing is paid twice without a reason',
    async (name, { applied, again, phase = 'complete' }) => {
      const [one] = await lived(name, model);
      const gone = kind === NOTHING_OF_CANCELLED && name === 'cancelled';
      expect(one).toMatchObject({
        name,
        ended: true,
        charged: { again },
        jobs: [{ phase, run: { counts: { in_sinks: gone ? 0 : applied, balanced: true } } }],
      });
      if (again === 0 && !UNREAD.has(name)) expect(one?.charged.input_tokens).toBe(one?.settled.input_tokens);
    },
  );
});

it('rough-day draws its faults by ids that nobody knows before, and ends all the same', async () => {
  const [one] = await lived('rough-day');
  expect(one).toMatchObject({ ended: true, jobs: [{ run: { counts: { balanced: true } } }] });
  expect(one?.jobs[0].phase).toMatch(/^complete/);
});

it('tells a person what happened, when, and what it would have cost', async () => {
  const root = await fresh();
  const { code, text } = await printed(root, (common) =>
    runScenarios({ ...common, jobs: ['tickets'], scenarios: ['stuck-finalizing'], err: () => {} }),
  );
  expect(code).toBe(0);
  expect(text).toContain('Scenario stuck-finalizing\nThe first batch has run, and stays in its last state');
  expect(text).toMatch(/^ +0\.0 s {2}run 1 frozen: 30 items/m);
  expect(text).toMatch(/Over after 40 h.* by the emulator's clock\. The real work would have cost \$0\.\d+/);
  expect(text).toContain(
    'The emulator charged 30 requests, none of them twice; all of it stands in the books.',
  );
});

it('names what there is where a name is wrong', async () => {
  await expect(lived('lost-creat')).rejects.toThrow(/no scenario "lost-creat"/);
});
