import { describe, expect, it } from 'vitest';
import { call } from '../support/emulator.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

/** The repository of eight tickets with another model and output, and no canary. */
function asking(model: string, output: string, more = ''): Record<string, string> {
  const files = repository(more);
  const job = (files['jobs/tickets.yaml'] as string)
    .replace('openai/gpt-5.4-mini', model)
    .replace('{ schema: label.schema.json, max_tokens: 200 }', output);
  return { ...files, 'jobs/tickets.yaml': job, 'prompts/tickets/user.hbs': '{{text}}' };
}

const embedding = (more = '', output = '{ embedding: { dimensions: 24 } }') =>
  asking('openai/text-embedding-3-small', output, more);
const moderation = (more = '') => asking('openai/omni-moderation-latest', '{ moderation: true }', more);

async function bodiesSent(w: World): Promise<Record<string, unknown>[]> {
  const { intents } = await w.journal();
  const files = Object.values(intents).map(({ fileId }) => fileId);
  const texts = await Promise.all(
    files.map(async (id) => (await call(w.emulator, 'GET', `/files/${id}/content`)).text()),
  );
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).body),
  );
}

describe('embeddings', () => {
  it('go from text to a column of numbers, and only input is paid', async () => {
    const w = await world(embedding());
    const { jobs } = await w.finish();
    expect(jobs[0]).toMatchObject({
      phase: 'complete',
      run: {
        task: 'embedding',
        books: { balanced: true, dispositions: { applied: 8 } },
        money: { settledOutputTokens: 0, estimate: { outputTokens: 0, outputTokensCap: 0 } },
        answers: null,
      },
    });
    const rows = await w.rows();
    expect(rows.map(({ id }) => id)).toEqual(TICKETS.map(({ id }) => id));
    for (const { embedding: vector } of rows) {
      const { items } = vector as { items: number[] };
      expect(items).toHaveLength(24);
      expect(Math.hypot(...items)).toBeCloseTo(1, 5);
    }
    expect((await w.paid()).map(({ output_tokens }) => output_tokens)).toEqual(TICKETS.map(() => 0));
    expect(await w.plan()).toEqual([]);
  });

  it('send one text a line, whole and alone', async () => {
    const w = await world(embedding());
    await w.pass();
    expect(await bodiesSent(w)).toEqual(
      TICKETS.map(({ text }) => ({
        model: 'text-embedding-3-small',
        dimensions: 24,
        encoding_format: 'float',
        input: text,
      })),
    );
  });

  it('show a reader how long they are, and not all of their numbers', async () => {
    const w = await world(embedding('', '{ embedding: true }'));
    const { jobs } = await w.finish();
    const [row] = jobs[0]?.run?.sample ?? [];
    expect(row?.values).toEqual([['embedding', expect.stringMatching(/^1536 numbers: -?0\.0\d+, /)]]);
  });

  it('of another length are asked for once more, then held', async () => {
    const w = await world(embedding('retry: { invalid_output: 1 }\n'), {
      rules: [
        { on: 'line', batch: 1, line: [2, 5], do: { answer: 'breaks_schema' } },
        { on: 'line', batch: 2, line: 1, do: { answer: 'breaks_schema' } },
      ],
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({
      books: { dispositions: { applied: 7, held: 1 } },
      needs: [{ class: 'invalid_output', cause: 'the answer has fewer than 24 items' }],
    });
  });

  it('of an empty text are bad rows, told before anything is sent', async () => {
    const rows = [...TICKETS, { id: 'T-z', text: '' }];
    const files = { ...embedding('input: { files: data/tickets.jsonl, key: id, on_bad_row: set_aside }\n') };
    const job = (files['jobs/tickets.yaml'] as string).replace(
      'input: { files: data/tickets.jsonl, key: id }\n',
      '',
    );
    const w = await world({
      ...files,
      'jobs/tickets.yaml': job,
      'data/tickets.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 8, set_aside: 1 });
  });

  it('of another length are another question', async () => {
    const w = await world(embedding());
    await w.finish();
    await w.write({
      'jobs/tickets.yaml': embedding('', '{ embedding: { dimensions: 12 } }')['jobs/tickets.yaml'] as string,
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({ run: 2, books: { dispositions: { applied: 8 } } });
    expect(await w.paid()).toHaveLength(16);
  });
});

describe('moderations', () => {
  it('go from text to a verdict in columns, at no cost', async () => {
    const w = await world(moderation('budget: { per_run_usd: 1 }\n'));
    const { jobs } = await w.finish();
    expect(jobs[0]).toMatchObject({
      phase: 'complete',
      run: {
        task: 'classification',
        books: { dispositions: { applied: 8 } },
        money: { settledUsd: 0, estimate: { usd: 0, ceilingUsd: 0 }, unknownCost: 0 },
        answers: { fields: [{ name: 'flagged' }] },
      },
    });
    for (const row of await w.rows()) {
      expect(row.flagged).toEqual(expect.any(Boolean));
      const categories = Object.values(JSON.parse(row.categories as string));
      expect(categories.includes(true)).toBe(row.flagged);
      expect(JSON.parse(row.category_scores as string)).toHaveProperty('hate/threatening');
    }
  });

  it('without a verdict are no answers', async () => {
    const w = await world(moderation('retry: { invalid_output: 0 }\n'), {
      rules: [{ on: 'line', line: 3, do: { answer: 'breaks_schema' } }],
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({
      books: { dispositions: { applied: 7, held: 1 } },
      needs: [{ class: 'invalid_output', cause: 'the answer has no `flagged`' }],
    });
  });
});
