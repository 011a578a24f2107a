import { describe, expect, it } from 'vitest';
import { lines, repository, TICKETS, world } from '../support/world.ts';

const EQUAL = ['a', 'b', 'c', 'd'].map((id) => ({ id: `E-${id}`, text: 'all the same' }));

describe('equal requests of one run share their failures, and what they cost', () => {
  it('an answer that breaks the schema is paid for as often as for one row', async () => {
    const w = await world(repository('retry: { invalid_output: 1 }\n', EQUAL), {
      rules: [{ on: 'line', do: { answer: 'invalid_json' } }],
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({
      books: { balanced: true, dispositions: { held: 4 } },
      needs: [{ rows: 4, class: 'invalid_output' }],
    });
    expect(await w.paid()).toHaveLength(2);
  });

  it('a truncated one once', async () => {
    const w = await world(repository('', EQUAL), { rules: [{ on: 'line', do: { answer: 'truncated' } }] });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ held: 4 });
    expect(await w.paid()).toHaveLength(1);
  });

  it('and their later success', async () => {
    const w = await world(repository('', EQUAL), { rules: [{ on: 'line', batch: 1, do: { status: 500 } }] });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 1, reused: 3 });
    expect(await w.paid()).toHaveLength(1);
  });
});

it('a truncated row keeps its raised cap whatever fails in between', async () => {
  const w = await world(
    repository('retry: { truncated: { max_tokens: 900 }, max_attempts: 4 }\n', TICKETS.slice(0, 1)),
    {
      rules: [
        { on: 'line', batch: 1, do: { answer: 'truncated' } },
        { on: 'line', batch: 2, do: { status: 500 } },
      ],
    },
  );
  const { jobs } = await w.finish();
  expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 1 });
  expect(Object.values((await w.journal()).intents).map((intent) => intent.maxTokens)).toEqual([
    null,
    900,
    900,
  ]);
});

it('a run that was never finished does not take kept rows out of a sink', async () => {
  const w = await world();
  await w.finish();
  await w.write({ 'prompts/tickets/user.hbs': 'Another prompt: {{text}}\n' });
  await w.pass();
  await w.write({
    'prompts/tickets/user.hbs': 'A third one: {{text}}\n',
    'data/tickets.jsonl': lines(TICKETS.slice(0, 6)),
  });
  w.emulator.setScenario({ rules: [{ on: 'line', batch: 2, do: { status: 500 } }] });
  await w.finish();
  expect((await w.rows()).map((row) => row.id)).toEqual(TICKETS.map((ticket) => ticket.id));
});
