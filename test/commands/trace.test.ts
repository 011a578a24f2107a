import { describe, expect, it } from 'vitest';
import { runTrace } from '../../runner/commands/trace.ts';
import { UserError } from '../../runner/errors.ts';
import { askApproval } from '../support/asks.ts';
import { repositoryAt } from '../support/providers.ts';
import { copiesOf, documentOf, printed } from '../support/reading.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

interface Traced {
  readonly format: string;
  readonly key: string;
  readonly items: readonly {
    readonly run: number;
    readonly disposition: string;
    readonly attempts: readonly { readonly outcome: { readonly usd: number | null } | null }[];
  }[];
}

const trace = (root: string, ...key: string[]) =>
  printed(root, (common) => runTrace({ ...common, job: 'tickets', key }));

async function traced(root: string, ...key: string[]): Promise<Traced> {
  const { document } = await documentOf<Traced>(root, (common) =>
    runTrace({ ...common, job: 'tickets', key }),
  );
  return document;
}

async function refusal(root: string, ...key: string[]) {
  const error = await trace(root, ...key).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).findings[0];
}

const TWIN = { id: 'T-twin', text: TICKETS[0]?.text };

/** Run 1 fails twice at T-b and refuses T-c; run 2 has T-h no more, and everything else again. */
const copy = copiesOf(async () => {
  const rows = [...TICKETS, TWIN, { text: 'nobody asked' }];
  const files = repository('', rows);
  const setAside = files['jobs/tickets.yaml']?.replace('key: id }', 'key: id, on_bad_row: set_aside }') ?? '';
  const w = await world(
    { ...files, 'jobs/tickets.yaml': setAside },
    {
      rules: [
        { on: 'line', batch: 1, line: 2, do: { status: 500, message: 'the wheel came off' } },
        { on: 'line', batch: 1, line: 3, do: { answer: 'refusal' } },
      ],
    },
  );
  await w.finish();
  await w.write({ 'data/tickets.jsonl': lines(rows.filter((row) => 'id' in row && row.id !== 'T-h')) });
  await askApproval(w);
  await w.finish();
  return w;
});

describe('trace', () => {
  it('tells each try with class, cause, decision and cost, and where the answer is', async () => {
    const document = await traced(await copy(), 'T-b');
    expect(document).toMatchObject({ format: 'batchwright/trace/v1', job: 'tickets', key: 'T-b' });
    const [first, second] = document.items;
    expect(first).toMatchObject({
      run: 1,
      current: false,
      disposition: 'applied',
      custom_id: expect.stringMatching(/^tickets:row:T-b:[0-9a-f]{8}$/),
      request: { hash: expect.stringMatching(/^[0-9a-f]{32}$/) },
      set_aside: null,
      attempts: [
        {
          shard: 1,
          kind: 'first',
          wire_id: expect.stringMatching(/^\w{16}_1$/),
          batch: { id: expect.stringMatching(/^batch_/), state: 'completed' },
          raw: [expect.stringContaining('raw-output-'), expect.stringContaining('raw-error-')],
          outcome: { class: 'provider_error', decision: 'retry', usd: null, usage: null },
        },
        {
          shard: 2,
          kind: 'retry',
          outcome: {
            class: 'ok',
            decision: null,
            usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
            served_model: expect.stringContaining('gpt-5.4-mini'),
            response_id: expect.stringMatching(/^resp_/),
          },
        },
      ],
      verdict: { class: 'ok', from: { own: true, run: 1, shard: 2, key: 'T-b' } },
      applied: [{ kind: 'parquet', path: 'out/tickets.parquet', state: 'replaced', by_run: 2 }],
    });
    expect(second).toMatchObject({
      run: 2,
      current: true,
      disposition: 'reused',
      attempts: [],
      verdict: { from: { own: false, run: 1, shard: 2, key: 'T-b' } },
      applied: [{ state: 'holds', by_run: 2 }],
    });
  });

  it('prices each try at its share of what the run has cost', async () => {
    const w = await world();
    await w.finish();
    const money = (await w.report()).run?.money.settledUsd ?? 0;
    await w.restart();
    let sum = 0;
    for (const { id } of TICKETS) {
      const { items } = await traced(w.root, id);
      for (const { attempts } of items) for (const { outcome } of attempts) sum += outcome?.usd ?? 0;
    }
    expect(money).toBeGreaterThan(0);
    expect(sum).toBeCloseTo(money, 12);
  });

  it('prices what was written to the cache, so that the rows add up to the run', async () => {
    const files = repositoryAt('anthropic/claude-haiku-4-5');
    const model = 'model: { name: anthropic/claude-haiku-4-5, raw: { cache_control: { type: ephemeral } } }';
    const job = (files['jobs/tickets.yaml'] ?? '').replace(/^model: .*$/m, model);
    const w = await world({ ...files, 'jobs/tickets.yaml': job });
    await w.finish();
    const settled = (await w.report()).run?.money.settledUsd;
    await w.restart();
    let rows = 0;
    for (const { id } of TICKETS) rows += (await traced(w.root, id)).items[0]?.attempts[0]?.outcome?.usd ?? 0;
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeCloseTo(settled ?? 0, 10);
  });

  it('names the row that an answer was bought for', async () => {
    const { items } = await traced(await copy(), 'T-twin');
    expect(items[0]).toMatchObject({
      disposition: 'reused',
      attempts: [],
      verdict: { from: { own: false, run: 1, shard: 1, key: 'T-a' } },
    });
  });

  it('tells an end that carries over to a later run', async () => {
    const { items } = await traced(await copy(), 'T-c');
    expect(items).toMatchObject([
      {
        disposition: 'refused',
        verdict: { class: 'refused', answer: null, from: { own: true } },
        applied: [],
      },
      { disposition: 'refused', attempts: [], verdict: { class: 'refused', from: { own: false, run: 1 } } },
    ]);
  });

  it('tells that a row whose key is gone was kept in the sink', async () => {
    const { items } = await traced(await copy(), 'T-h');
    expect(items).toMatchObject([{ run: 1, applied: [{ state: 'kept', by_run: 2 }] }]);
  });

  it('finds a row without a key by its place, and says why it was set aside', async () => {
    const { items } = await traced(await copy(), 'row 10');
    expect(items).toMatchObject([
      {
        ordinal: 9,
        disposition: 'set_aside',
        request: null,
        row: expect.stringContaining('nobody asked'),
        set_aside: { problem: 'key-missing' },
        attempts: [],
        verdict: null,
      },
    ]);
  });

  it('says of a row that could not be read only where it stands', async () => {
    const files = repository();
    const setAside =
      files['jobs/tickets.yaml']?.replace('key: id }', 'key: id, on_bad_row: set_aside }') ?? '';
    const w = await world({
      ...files,
      'jobs/tickets.yaml': setAside,
      'data/tickets.jsonl': `${lines(TICKETS)}no JSON\n`,
    });
    await w.finish();
    await w.restart();
    const { text } = await trace(w.root, `row ${TICKETS.length + 1}`);
    expect(text).toContain('cannot be read \u00b7 input hash');
    expect(text).toContain('row-not-json: data/tickets.jsonl line 9: is not valid JSON');
  });

  it('prints it run by run', async () => {
    const { text } = await trace(await copy(), 'T-b');
    expect(text).toMatch(/^T-b in tickets: 2 runs\n\nrun 1, which a newer one has followed: applied\n/);
    expect(text).toMatch(
      / {2}try 1 {4}shard 1, first, .*: provider_error, .*the wheel came off.* · decided: retry · no usage told\n/,
    );
    expect(text).toMatch(/ {2}try 2 .*: ok · \d+ in, \d+ out · \$0\.0\d+ · gpt-5\.4-mini\S* · resp_\w+\n/);
    expect(text).toMatch(/ {2}bought {3}by the same request of T-b, run 1, shard 2\n/);
    expect(text).toMatch(/ {2}applied {2}parquet out\/tickets\.parquet: holds it since /);
  });
});

describe('trace of what is under way', () => {
  const open = async (scenario: Parameters<typeof world>[1]): Promise<World> => {
    const w = await world(repository('', [...TICKETS, TWIN]), scenario);
    await w.pass();
    await w.restart();
    return w;
  };

  it('shows the open try, and to a row with the same request whose answer it waits for', async () => {
    const { root } = await open({});
    expect((await traced(root, 'T-a')).items).toMatchObject([
      { disposition: 'in_flight', attempts: [{ phase: 'live', outcome: null }], waits_on: null },
    ]);
    expect((await traced(root, 'T-twin')).items).toMatchObject([
      { disposition: 'in_flight', attempts: [], waits_on: { run: 1, shard: 1, key: 'T-a' } },
    ]);
    expect((await trace(root, 'T-twin')).text).toContain('for the same request of T-a, run 1, shard 1');
  });

  it('shows an announcement that is neither proved nor disproved', async () => {
    const { root } = await open({ rules: [{ on: 'create', nth: 1, do: { reset: true } }] });
    const { text } = await trace(root, 'T-a');
    expect(text).toContain('run 1: ambiguous\n');
    expect(text).toContain('no batch: announced; whether the provider has it is not known yet');
  });

  it('shows a batch that was refused as a whole, though it is no attempt', async () => {
    const { root } = await open({
      rules: [{ on: 'create', nth: 1, do: { status: 400, code: 'bad', message: 'no such endpoint' } }],
    });
    expect((await trace(root, 'T-a')).text).toMatch(
      /refused as a whole, nothing was sent: .*no such endpoint/,
    );
  });
});

describe('keys', () => {
  const twoColumns = copiesOf(async () => {
    const rows = [
      { id: 'T-1', part: 1 },
      { id: 'T-1', part: 2 },
      { id: 'T-2', part: 1 },
    ];
    const files = repository(
      '',
      rows.map((row) => ({ ...row, text: `${row.id} ${row.part}` })),
    );
    const job = files['jobs/tickets.yaml']?.replace('key: id', 'key: [id, part]') ?? '';
    const w = await world({ ...files, 'jobs/tickets.yaml': job });
    await w.finish();
    return w;
  });

  it.each([
    { what: 'each an argument', key: ['T-1', '2'] },
    { what: 'a JSON array', key: ['["T-1","2"]'] },
    { what: 'a JSON array with blanks and a number', key: ['[ "T-1", 2 ]'] },
  ])('of several columns: $what', async ({ key }) => {
    expect((await traced(await twoColumns(), ...key)).key).toBe('["T-1","2"]');
  });

  it('that are not there: those near it', async () => {
    const root = await copy();
    expect(await refusal(root, 'T-B')).toMatchObject({
      code: 'unknown-key',
      message: 'No run of tickets has a row with the key "T-B".',
      hint: expect.stringContaining('Near it: "T-b"'),
    });
    expect((await refusal(root, 'twin'))?.hint).toBe('Near it: "T-twin".');
  });

  it('of several columns that are not there: those near it, as one types them', async () => {
    expect(await refusal(await twoColumns(), 'T-1', '3')).toMatchObject({
      message: 'No run of tickets has a row with the key "T-1" "3".',
      hint: 'Near it: "T-1" "1", "T-1" "2", "T-2" "1".',
    });
  });

  it('that are not there and like none: how a key looks', async () => {
    expect((await refusal(await copy(), 'something else'))?.hint).toBe(
      'A key is the text of the column `id`, for example "T-a".',
    );
    expect((await refusal(await twoColumns(), 'something else'))?.hint).toBe(
      'A key has 2 parts, `id`, `part`, each an argument of its own, for example "T-1" "1".',
    );
  });

  it('and everything that a customer wrote cannot steer the terminal', async () => {
    const hostile = 'T-\u202e1\u009b31m';
    const w = await world(
      repository('', [{ id: 'T-\u202e1', text: '::error::\u001b[31m\u0007' }, ...TICKETS.slice(0, 1)]),
    );
    await w.finish();
    await w.restart();
    const { text } = await trace(w.root, 'T-\u202e1');
    expect(text).toContain('T-(U+202E)1 in tickets');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]|::error/);
    const finding = await refusal(w.root, hostile);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
    expect(`${finding?.message}${finding?.hint}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it('of a job that has no run, or that nobody knows', async () => {
    const w = await world();
    expect((await refusal(w.root, 'T-a'))?.code).toBe('no-run');
    const error = await printed(w.root, (common) => runTrace({ ...common, job: 'other', key: ['x'] })).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as UserError).findings[0]?.code).toBe('unknown-job');
  });
});
