import { expect, it } from 'vitest';
import { runStatus } from '../../runner/commands/status.ts';
import { statusTerminal } from '../../runner/report/terminal.ts';
import { copiesOf, documentOf, printed } from '../support/reading.ts';
import { repository, type World, world } from '../support/world.ts';

let whole: Awaited<ReturnType<World['finish']>>;

const copy = copiesOf(async () => {
  const w = await world(repository(), { rules: [{ on: 'line', line: [2, 3], do: { answer: 'refusal' } }] });
  whole = await w.finish();
  return w;
});

it('a look at where jobs stand reads no answers, and says what one that reads them says', async () => {
  const { code, text } = await printed(await copy(), (common) => runStatus({ ...common, jobs: [] }));
  expect(code).toBe(0);
  expect(text).toContain('6 of 8 applied');
  expect(text).toBe(statusTerminal(whole, { color: false }));
});

it('as JSON it has what only the answers tell', async () => {
  const { document } = await documentOf<{ jobs: { run: { models: { served: object } } }[] }>(
    await copy(),
    (common) => runStatus({ ...common, jobs: [] }),
  );
  const served = Object.values(document.jobs[0]?.run.models.served ?? {});
  expect(served).toEqual([6]);
});
