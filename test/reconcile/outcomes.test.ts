import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../runner/emulator/scenario.ts';
import type { Disposition } from '../../runner/outcome/disposition.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import { QUICK } from '../../runner/plan/snapshot.ts';
import type { Endpoint } from '../../runner/spec/job.ts';
import { call } from '../support/emulator.ts';
import { type LineCase, plainCases } from '../support/line-cases.ts';
import { CHAT_CASES, RESPONSES_CASES } from '../support/line-cases-answers.ts';
import { ERROR_CASES } from '../support/line-cases-errors.ts';
import { lineRules } from '../support/lines.ts';
import { outcomeRows } from '../support/outcome-rows.ts';
import { repository, type World, world } from '../support/world.ts';

/** Those that answer in words; `embeddings.test.ts` has the others. */
const ENDPOINTS = ['/v1/responses', '/v1/chat/completions'] as const;

function casesOf(endpoint: Endpoint): LineCase[] {
  return [
    ...plainCases(endpoint),
    ...ERROR_CASES,
    ...(endpoint === '/v1/responses' ? RESPONSES_CASES : CHAT_CASES),
  ];
}

/** Where a row is after a batch in which its class is this, and a second one that goes well. */
const ENDS: Readonly<Record<OutcomeClass, Disposition>> = {
  ok: 'applied',
  invalid_output: 'held',
  truncated: 'held',
  unknown_stop: 'held',
  invalid_request: 'failed',
  rate_or_capacity: 'applied',
  account: 'applied',
  expired: 'applied',
  cancelled: 'waiting',
  refused: 'refused',
  provider_error: 'applied',
  missing: 'applied',
  unreadable: 'unreadable',
  lost: 'held',
  conflict: 'held',
  duplicate: 'applied',
  late: 'applied',
};

function repositoryOf(endpoint: Endpoint, cases: readonly LineCase[]): Record<string, string> {
  const files = repository(
    'retry: { max_attempts: 2, invalid_output: 0 }\n',
    cases.map((_, at) => ({ id: keyOf(at), text: `Ticket ${at}` })),
  );
  return jobAt(endpoint, files);
}

function jobAt(endpoint: Endpoint, files: Record<string, string>): Record<string, string> {
  const job = (files['jobs/tickets.yaml'] as string).replace(
    'model: openai/gpt-5.4-mini',
    `model: { provider: openai, name: gpt-5.4-mini, endpoint: ${endpoint} }`,
  );
  return { ...files, 'jobs/tickets.yaml': job };
}

function keyOf(at: number): string {
  return `T-${String(at).padStart(3, '0')}`;
}

function countsOf(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

describe.each(ENDPOINTS)('%s: what each line comes to, from the file to the books', (endpoint) => {
  it('classes, dispositions, money and the list for people agree', async () => {
    const cases = casesOf(endpoint);
    const w = await world(repositoryOf(endpoint, cases), { rules: lineRules(cases) });
    await w.finish();
    // The lines about money have paused the account.
    w.emulator.clock.advance(QUICK.accountMs);
    const { jobs } = await w.finish();
    const rows = await outcomeRows(w);

    const first = rows.filter((row) => row.shard === 1);
    expect(first.map((row) => `${cases[row.ordinal]?.name}: ${row.class}`)).toEqual(
      cases.map((each) => `${each.name}: ${each.class}`),
    );
    for (const { ordinal, cause, detail } of first)
      expect(`${cause} ${detail}`, cases[ordinal]?.name).toContain(cases[ordinal]?.says ?? '');

    const ends = cases.map((each) => ENDS[each.class]);
    const run = jobs[0]?.run;
    expect(run?.books).toMatchObject({ items: cases.length, balanced: true, dispositions: countsOf(ends) });
    const applied = cases.flatMap((_, at) => (ends[at] === 'applied' ? [keyOf(at)] : []));
    expect((await w.rows()).map((row) => row.id)).toEqual(applied);

    await expectHeld(w, cases, ends);
    await expectRetried(w, cases);
  });
});

describe.each(ENDPOINTS)('%s: B068, B069: an answer that was cut', (endpoint) => {
  const tickets = Array.from({ length: 4 }, (_, at) => ({ id: keyOf(at), text: `Ticket ${at}` }));
  const withCap = (more: string) => jobAt(endpoint, repository(more, tickets));

  it('goes again once with the higher cap that the job allows, and with nothing else changed', async () => {
    const w = await world(withCap('retry: { truncated: { max_tokens: 500 } }\n'), {
      rules: [{ on: 'line', batch: 1, line: 2, do: { answer: 'truncated' } }],
    });
    await w.pass();
    const first = await sentBodies(w);
    await passUntil(w, 2);
    const again = await sentBodies(w);
    expect(again).toHaveLength(1);
    const field = endpoint === '/v1/responses' ? 'max_output_tokens' : 'max_completion_tokens';
    expect(again[0]).toEqual({ ...first[1], [field]: 500 });
    await w.finish();
    expect((await w.report()).run?.books.dispositions).toEqual({ applied: 4 });
    expect(await w.paid()).toHaveLength(5);
  });

  it('is held when the higher cap was not enough either, and when there is none', async () => {
    const rules: Rule[] = [{ on: 'line', line: 1, do: { answer: 'truncated' } }];
    const raised = await world(withCap('retry: { truncated: { max_tokens: 500 } }\n'), { rules });
    await raised.finish();
    expect((await raised.report()).run?.books.dispositions).toEqual({ applied: 3, held: 1 });
    expect(await raised.paid()).toHaveLength(5);
    const plain = await world(withCap(''), { rules });
    await plain.finish();
    expect((await plain.report()).run?.books.dispositions).toEqual({ applied: 3, held: 1 });
    expect(await plain.paid()).toHaveLength(4);
    expect((await plain.report()).run?.needs[0]?.next).toContain('max_tokens');
  });
});

/** The bodies of the newest batch's lines, as they were uploaded. */
async function sentBodies(w: World): Promise<Record<string, unknown>[]> {
  const newest = Object.values((await w.journal()).intents).at(-1);
  const file = await call(w.emulator, 'GET', `/files/${newest?.fileId}/content`);
  const sent = (await file.text()).split('\n').slice(0, -1);
  return sent.map((line) => JSON.parse(line).body);
}

/** Passes until so many batches were announced. */
async function passUntil(w: World, batches: number): Promise<void> {
  for (let passes = 0; passes < 20; passes += 1) {
    if (Object.keys((await w.journal()).intents).length >= batches) return;
    w.emulator.clock.advance(1_000);
    await w.pass();
  }
}

/** Every row that no pass mends is in the list, once, with its class and reason. */
async function expectHeld(w: World, cases: readonly LineCase[], ends: readonly Disposition[]): Promise<void> {
  const held = await readFile(join(w.root, 'state/tickets/held.csv'), 'utf8');
  const listed = held.split('\r\n').slice(1, -1);
  const expected = cases.flatMap((each, at) =>
    ['unreadable', 'held', 'failed', 'refused'].includes(ends[at] ?? '')
      ? [`${keyOf(at)},${each.class}`]
      : [],
  );
  expect(listed.map((row) => row.split(',').slice(0, 2).join(','))).toEqual(expected);
}

/** B069: only what another try may mend was sent again, and that once. */
async function expectRetried(w: World, cases: readonly LineCase[]): Promise<void> {
  const again = (await outcomeRows(w)).filter((row) => row.shard > 1);
  const mendable: readonly OutcomeClass[] = [
    'rate_or_capacity',
    'account',
    'expired',
    'provider_error',
    'missing',
  ];
  const expected = cases.flatMap((each, at) => (mendable.includes(each.class) ? [at] : []));
  expect(again.map((row) => row.ordinal).sort((a, b) => a - b)).toEqual(expected);
  expect(again.every((row) => row.class === 'ok')).toBe(true);
}
