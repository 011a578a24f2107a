import { expect, it } from 'vitest';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { type Passing, startGateway } from '../support/gateway.ts';
import { repository, type World, world } from '../support/world.ts';

type Bend = (passing: Passing) => { status?: number; text?: string };

async function behindGateway(job: string, scenario: Scenario, bend: Bend): Promise<World> {
  const files = repository(job);
  const w = await world(files, scenario);
  const gateway = await startGateway(w.emulator.origin, bend);
  await w.write({
    'batchwright.yaml': (files['batchwright.yaml'] ?? '').replace(
      'EMULATOR',
      w.emulator.url.replace(w.emulator.origin, gateway),
    ),
  });
  return w;
}

interface Wire {
  request_counts: Record<string, number>;
  [field: string]: unknown;
}

const POLL = /\/batches\/[^/?]+$/;
const isPoll = ({ method, path }: Passing) => method === 'GET' && POLL.test(path);
const edit = (text: string, change: (value: Wire) => void) => {
  const value = JSON.parse(text);
  change(value);
  return JSON.stringify(value);
};

it('a row that was missing, was bought again, and turns up while another of its batch cannot be read', async () => {
  let isOver = false;
  const w = await behindGateway(
    '',
    { rules: [{ on: 'create', nth: 1, do: { expire_with: 0.5 } }] },
    (passing) => {
      const { path, text, method } = passing;
      if (isPoll(passing) && /"status":\s*"expired"/.test(text))
        return {
          text: edit(text, (batch) => {
            batch.request_counts.completed = 3;
            batch.request_counts.failed = 0;
          }),
        };
      if (/\/files\/[^/]+$/.test(path) && method === 'GET') return { status: 500, text: '{}' };
      if (!/\/content$/.test(path)) return {};
      const lines = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      const ran = lines.filter(({ response }) => response !== null);
      if (lines.length !== 4 || ran.length !== 4) return {};
      const [spoiled, ...rest] = ran;
      spoiled.response.body = null;
      const left = isOver ? rest : rest.slice(1);
      return { text: [spoiled, ...left].map((line) => `${JSON.stringify(line)}\n`).join('') };
    },
  );
  for (let n = 0; n < 10; n += 1) {
    await w.pass();
    w.emulator.clock.advance(n === 1 ? 86_500_000 : 1_500);
  }
  isOver = true;
  for (let n = 0; n < 4; n += 1) {
    await w.pass();
    w.emulator.clock.advance(25_000);
  }
  const ctx = await w.context();
  const ledger = await ctx.ledgers.of(
    'tickets' as never,
    ctx.repository.jobs[0]?.job ?? null,
    ctx.journal.state,
  );
  const ok = await ledger?.duck.rows(
    `SELECT ordinal, count(*)::INTEGER AS n FROM attempt WHERE class = 'ok' GROUP BY ordinal HAVING n > 1`,
  );
  expect(ok, 'two answers of one row both count').toEqual([]);
});

it('the answer to a poll that is about another batch is no answer', async () => {
  const ids: string[] = [];
  const seen = new Map<string, string>();
  let lies = 3;
  const w = await behindGateway(
    'shard: { max_items: 4 }\n',
    {
      phases: { running_ms: 20_000 },
      rules: [{ on: 'create', nth: 2, do: { fail: 'token_limit_exceeded' } }],
    },
    (passing) => {
      if (passing.method === 'POST' && /\/batches$/.test(passing.path)) ids.push(JSON.parse(passing.text).id);
      if (!isPoll(passing)) return {};
      const id = passing.path.split('/').at(-1) ?? '';
      seen.set(id, passing.text);
      const other = seen.get(ids[1] ?? '');
      if (id === ids[0] && other !== undefined && /failed/.test(other) && lies > 0) {
        lies -= 1;
        return { text: other };
      }
      return {};
    },
  );
  await w.finish();
  expect(lies).toBeLessThan(3);
  expect(await w.paid()).toHaveLength(8);
  expect((await w.report()).run?.books).toMatchObject({ dispositions: { applied: 8 } });
});

it('a second look at which the batch could not be asked does not confirm the first', async () => {
  let polls = 0;
  const w = await behindGateway('', { phases: { running_ms: 8_000 } }, (passing) => {
    if (!isPoll(passing)) return {};
    polls += 1;
    if (polls > 4) return {};
    if (polls > 1) return { status: 400, text: '{}' };
    return {
      text: edit(passing.text, (batch) => {
        batch.status = 'expired';
        batch.in_progress_at = null;
        batch.finalizing_at = null;
        batch.output_file_id = null;
        batch.request_counts = { total: 0, completed: 0, failed: 0 };
      }),
    };
  });
  await w.finish();
  expect((await w.report()).run?.books).toMatchObject({ batches: 1, dispositions: { unreadable: 8 } });
});
