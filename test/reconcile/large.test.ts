import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answered, saying } from '../support/lines.ts';
import { readBack } from '../support/sink-rows.ts';
import { lines, repository, world } from '../support/world.ts';

describe('long rows', () => {
  it('2,500 prompts and answers of 30 KB go through within the ledger’s memory', async () => {
    const count = 2500;
    const rows = Array.from({ length: count }, (_, at) => ({
      id: `T-${at}`,
      text: `${at} wheel `.repeat(3000),
    }));
    const files = repository(
      'sinks: [{ kind: parquet, path: out/t.parquet }, { kind: jsonl, path: out/t.jsonl }]\n',
      [],
    );
    const job = (files['jobs/tickets.yaml'] as string)
      .replace(
        'output: { schema: label.schema.json, max_tokens: 200 }',
        'output: { text: true, max_tokens: 8000 }',
      )
      .replace('key: id', 'key: id, pass: [text]');
    const w = await world(
      { ...files, 'jobs/tickets.yaml': job, 'data/tickets.jsonl': lines(rows) },
      {
        rules: [
          { on: 'line', do: { text: answered(saying('/v1/responses', '{custom_id} says '.repeat(1200))) } },
        ],
      },
    );
    const t0 = performance.now();
    const { jobs } = await w.finish();
    console.log(
      performance.now() - t0,
      jobs[0]?.phase,
      JSON.stringify(jobs[0]?.waits),
      JSON.stringify(w.said).slice(0, 1000),
    );
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: count });
    const found = await readBack(join(w.root, 'out/t.parquet'), ['id', 'answer']);
    expect(found.map(([id]) => id)).toEqual(rows.map(({ id }) => id));
    expect(found.every(([, answer]) => (answer?.length ?? 0) > 20_000)).toBe(true);
  });
});
