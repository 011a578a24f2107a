import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import type { Emulator } from '../../runner/emulator/server.ts';
import {
  type Instant,
  type IntentId,
  instantOf,
  later,
  newIntentId,
  ordinalOf,
  wireId,
} from '../../runner/ids.ts';
import { classify } from '../../runner/outcome/classify.ts';
import { unseenIn } from '../../runner/outcome/failed-batch.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { BatchView, Call, CreateResult, FindResult, Provider } from '../../runner/provider/port.ts';
import { settleRaw } from '../../runner/reconcile/collect/settle.ts';
import type { Endpoint } from '../../runner/spec/job.ts';
import { ADAPTERS } from '../support/adapters.ts';
import { HOUR_MS, startStill } from '../support/emulator.ts';

const SCHEMA = {
  type: 'object',
  properties: { label: { type: 'string', enum: ['billing', 'technical'] } },
  required: ['label'],
  additionalProperties: false,
};

/** Every adapter, every endpoint it encodes: what the reconciler relies on must hold for each. */
describe.each(ADAPTERS)('$name', ({ endpoint, model, open, does }) => {
  let emulator: Emulator;
  let provider: Provider;
  let folder: string;
  let intent: IntentId;

  beforeEach(async () => {
    emulator = await startStill();
    provider = await open(emulator);
    folder = await mkdtemp(join(tmpdir(), 'batchwright-contract-'));
    intent = newIntentId();
  });

  afterEach(async () => {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function upload(
    count: number,
    edit: (line: string, at: number) => string = (line) => line,
  ): Promise<string | null> {
    const path = inputPath();
    const text = linesOf(provider, { endpoint, model }, intent, count).map(edit).join('');
    await writeFile(path, text);
    return okOf(await provider.upload({ intent, path, bytes: Buffer.byteLength(text), name: 'wire.jsonl' }))
      .fileId;
  }

  function inputPath(): string {
    return join(folder, 'wire.jsonl');
  }

  async function create(fileId: string | null): Promise<CreateResult> {
    const input = { path: inputPath(), bytes: (await stat(inputPath())).size };
    const tags = { batchwright_job: 'contract' };
    return provider.create({ intent, fileId, input, endpoint, model, tags });
  }

  /** Uploads, creates, lets time pass and looks. */
  async function run(count: number, ms = HOUR_MS): Promise<BatchView> {
    const { id } = accepted(await create(await upload(count)));
    emulator.clock.advance(ms);
    return look(id);
  }

  async function look(id: string): Promise<BatchView> {
    return okOf(asCall(await provider.poll(id)));
  }

  /** Result files through download, store format and settling: the class of each ordinal, counted. */
  async function outcomes(batch: BatchView, count: number): Promise<Partial<Record<OutcomeClass, number>>> {
    const rawFiles: string[] = [];
    for (const id of [batch.outputFileId, batch.errorFileId]) {
      if (id === null) continue;
      const path = join(folder, `${id.replaceAll('/', '-')}.jsonl`);
      okOf(await provider.download(id, path));
      await writeFile(`${path}.zst`, zstdCompressSync(await readFile(path)));
      rawFiles.push(`${path}.zst`);
    }
    const ordinals = [[0, count - 1]] as const;
    const unseen = unseenIn(batch, ordinals);
    const settled = await settleRaw({
      rawFiles,
      intent,
      ordinals,
      decode: (line) => provider.decode(endpoint, line),
      classify: (reply) => classify(reply, { outputKind: 'json', check: null }),
      countMissing: true,
      work: folder,
      ...(unseen === null ? {} : { unseen }),
    });
    return settled.summary.counts;
  }

  test('the whole life of a batch', async () => {
    const fileId = await upload(25);
    const created = accepted(await create(fileId));
    expect(created).toMatchObject({
      intent: does.bearTags ? intent : null,
      state: does.begin,
      inputFileId: fileId,
      outputFileId: null,
      endedAt: null,
    });
    expect(created.serverNow).toBe(instantOf(emulator.clock.now()));
    emulator.clock.advance(HOUR_MS);
    const ended = await look(created.id);
    expect(ended).toMatchObject({
      state: 'completed',
      errorFileId: null,
      progress: { total: 25, done: 25, failed: 0 },
    });
    expect(await outcomes(ended, 25)).toEqual({ ok: 25 });
    for (const id of [fileId, ended.outputFileId].filter((each) => each !== null)) {
      expect(await provider.discard(id)).toMatchObject({ kind: 'ok' });
      expect(await provider.discard(id)).toMatchObject({ kind: 'ok' });
    }
    // Where a result cannot be deleted, time does it.
    emulator.clock.advance(provider.profile.resultsKeptMs);
    expect(await provider.download(ended.outputFileId ?? '', join(folder, 'gone'))).toMatchObject({
      kind: 'failed',
      error: { status: 404 },
    });
  });

  test('answers of every kind, in both files, each under its class', async () => {
    const faults = [
      'refusal',
      'truncated',
      'content_filter',
      'invalid_json',
      'empty',
      'empty_body',
      'error_body',
    ] as const;
    const answers = faults.map((answer, at) => ({ on: 'line', line: at + 1, do: { answer } }) as const);
    const errors = [
      { on: 'line', line: 8, do: { status: 400, code: 'context_length_exceeded', file: 'output' } },
      { on: 'line', line: 9, do: { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' } },
      { on: 'line', line: 10, do: { code: 'request_timeout' } },
      { on: 'line', line: 11, do: { result: 'duplicate' } },
      { on: 'line', line: 12, do: { result: 'conflict' } },
      { on: 'line', line: 13, do: { result: 'both_files' } },
      { on: 'line', line: 14, do: { result: 'drop' } },
      { on: 'line', line: 15, do: { result: 'foreign' } },
      { on: 'line', line: 16, do: { result: 'corrupt' } },
    ] as const;
    emulator.setScenario({ rules: [...answers, ...errors] });
    expect(await outcomes(await run(20), 20)).toEqual({
      refused: 2,
      truncated: 1,
      invalid_output: 2,
      provider_error: 2,
      unreadable: 1,
      invalid_request: 1,
      conflict: 2,
      missing: 2,
      ok: 6,
      account: 1,
    });
  });

  test('B053: every request failed, and the batch is completed', async () => {
    emulator.setScenario({ rules: [{ on: 'create', do: { all_failed: true } }] });
    const batch = await run(5);
    expect(batch.state).toBe('completed');
    expect(batch.outputFileId === null).toBe(does.keepErrorsApart);
    expect(await outcomes(batch, 5)).toEqual({ provider_error: 5 });
  });

  const oddFiles = does.keepErrorsApart ? (['empty_id', 'zero_bytes'] as const) : [];
  test.each(oddFiles)('B053: without errors the error file is %s', async (error_file) => {
    emulator.setScenario({ rules: [{ on: 'create', do: { error_file } }] });
    expect(await outcomes(await run(5), 5)).toEqual({ ok: 5 });
  });

  test('B051: an expired batch, with what it has done if the provider gives it out', async () => {
    emulator.setScenario({ rules: [{ on: 'create', do: { expire_with: 0.5 } }] });
    const batch = await run(10, provider.profile.windowMs + HOUR_MS);
    expect(batch.state).toBe('expired');
    expect(await outcomes(batch, 10)).toEqual(does.giveUnfinished ? { ok: 5, expired: 5 } : { expired: 10 });
  });

  test('B052: a cancelled batch ends by and by, and its finished work is there', async () => {
    emulator.setScenario({
      phases: {
        validating_ms: 0,
        running_ms: 10_000,
        running_ms_per_1000: 0,
        finalizing_ms: 0,
        cancelling_ms: 60_000,
      },
    });
    const { id } = accepted(await create(await upload(10)));
    emulator.clock.advance(5_000);
    const cancelling = okOf(await provider.cancel(id));
    expect(cancelling).toMatchObject({
      state: does.tellOfCancelling ? 'cancelling' : 'running',
      endedAt: null,
    });
    emulator.clock.advance(60_000);
    const looks = [await look(id), await look(id)];
    const batch = looks[1] as BatchView;
    expect(batch.state).toBe('cancelled');
    const counts = await outcomes(batch, 10);
    expect((counts.ok ?? 0) + (counts.cancelled ?? 0)).toBe(10);
    expect(counts.cancelled).toBeGreaterThan(0);
    expect(counts.ok !== undefined).toBe(does.giveUnfinished);
  });

  test('B042: the queue is full: known late, and no item’s fault', async () => {
    emulator.setScenario({ rules: [{ on: 'create', do: { fail: 'token_limit_exceeded' } }] });
    const batch = await run(5);
    const failed = { state: 'failed', errors: [{ code: does.callFull, about: 'capacity' }] };
    expect(batch).toMatchObject(does.failAsAWhole ? failed : { state: 'completed', errors: [] });
    expect(await outcomes(batch, 5)).toEqual({ rate_or_capacity: 5 });
  });

  test('B043: one bad line leads back to its item, whether or not it fails the batch', async () => {
    const { id } = accepted(
      await create(await upload(5, (line, at) => (at === 2 ? does.spoil(line) : line))),
    );
    emulator.clock.advance(HOUR_MS);
    expect(await outcomes(await look(id), 5)).toEqual({
      invalid_request: 1,
      ...(does.failForOneLine ? { expired: 4 } : { ok: 4 }),
    });
  });

  const unknownFiles = does.unknownFile === null ? [] : [does.unknownFile];
  test.each(unknownFiles)('B041: the unknown file %s is told at once, or later', async (unknown) => {
    await upload(1);
    const result = await create(unknown);
    if (!does.acceptAnyFile) return expect(result).toMatchObject({ kind: 'refused', error: { status: 404 } });
    const { id } = accepted(result);
    emulator.clock.advance(HOUR_MS);
    expect(await look(id)).toMatchObject({ state: 'failed', errors: [{ about: 'server' }] });
  });

  test('B045: a look that finds nothing, just after the create', async () => {
    emulator.setScenario({ rules: [{ on: 'create', do: { not_found_ms: 60_000 } }] });
    const { id } = accepted(await create(await upload(1)));
    expect(await provider.poll(id)).toMatchObject({ kind: 'not_found' });
    emulator.clock.advance(60_000);
    expect(await provider.poll(id)).toMatchObject({ kind: 'ok' });
  });

  const lost: readonly (readonly [string, Scenario, 'ambiguous' | 'refused', number])[] = [
    [
      'reset after it was done',
      { rules: [{ on: 'create', do: { when: 'after_commit', reset: true } }] },
      'ambiguous',
      1,
    ],
    [
      '500 after it was done',
      { rules: [{ on: 'create', do: { when: 'after_commit', status: 500 } }] },
      'ambiguous',
      1,
    ],
    ['500 before', { rules: [{ on: 'create', do: { when: 'before_commit', status: 500 } }] }, 'ambiguous', 0],
    ['429', { rules: [{ on: 'create', do: { status: 429, retry_after: 61 } }] }, 'refused', 0],
  ];
  test.each(lost)(
    'B039: a create answered by %s: the list tells, and there is never a second',
    async (_title, scenario, kind, found) => {
      const fileId = await upload(1);
      const since = now();
      emulator.setScenario(scenario);
      expect((await create(fileId)).kind).toBe(kind);
      const call = okOf(await provider.find([intent], since));
      const tag = does.bearTags ? intent : null;
      expect(seenIn(call).map((batch) => batch.intent)).toEqual(Array.from({ length: found }, () => tag));
      expect(call).toMatchObject({ complete: true, serverNow: now() });
    },
  );

  test('a list that hides a new batch for a while looks complete: one listing proves nothing', async () => {
    emulator.setScenario({ rules: [{ on: 'create', do: { hide_in_list_ms: 30_000 } }] });
    accepted(await create(await upload(1)));
    const since = later(now(), -60_000);
    expect(okOf(await provider.find([intent], since))).toMatchObject({ found: [], complete: true });
    emulator.clock.advance(30_000);
    expect(seenIn(okOf(await provider.find([intent], since)))).toHaveLength(1);
  });

  test('a list that repeats itself proves nothing either', async () => {
    accepted(await create(await upload(1)));
    emulator.setScenario({ rules: [{ on: 'list', do: { repeat_cursor: true } }] });
    const since = later(now(), -60_000);
    expect(okOf(await provider.find([newIntentId()], since))).toMatchObject({ found: [], complete: false });
  });

  test('B054: a download cut short is tried again, and fails if it stays so', async () => {
    const batch = await run(20);
    const path = join(folder, 'out.jsonl');
    emulator.setScenario({ rules: [{ on: 'download', first: 1, do: { cut_at: 0.5 } }] });
    expect(await provider.download(batch.outputFileId ?? '', path)).toMatchObject({ kind: 'ok' });
    expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toHaveLength(20);
    emulator.setScenario({ rules: [{ on: 'download', do: { cut_at: 0.5 } }] });
    expect(await provider.download(batch.outputFileId ?? '', path)).toMatchObject({ kind: 'failed' });
  });

  /** Where no batch bears a tag, every one may be ours. */
  function seenIn({ found, untagged }: FindResult): readonly BatchView[] {
    return does.bearTags ? found : untagged;
  }

  function now(): Instant {
    return instantOf(emulator.clock.now());
  }
});

function linesOf(
  provider: Provider,
  { endpoint, model: name }: { readonly endpoint: Endpoint; readonly model: string },
  intent: IntentId,
  count: number,
): string[] {
  const model = {
    provider: 'any',
    name,
    endpoint,
    temperature: null,
    reasoning: null,
    seed: null,
    raw: {},
  } as const;
  const encode = provider.encoder(model, { kind: 'json', schema: 'x', maxTokens: 60 }, SCHEMA);
  const { beforeId, afterId, afterBody } = provider.wireEnvelope(endpoint);
  return Array.from({ length: count }, (_, ordinal) => {
    const id = wireId(intent, ordinal);
    expect(ordinalOf(intent, id)).toBe(ordinal);
    return `${beforeId}${id}${afterId}${encode({ system: 'Label it.', user: `Ticket ${ordinal}` })}${afterBody}\n`;
  });
}

function okOf<Value>(call: Call<Value>): Value {
  if (call.kind === 'ok') return call.value;
  throw new Error(call.error.message);
}

function asCall(answer: Awaited<ReturnType<Provider['poll']>>): Call<BatchView> {
  if (answer.kind === 'not_found') throw new Error(answer.message);
  return answer;
}

function accepted(result: CreateResult): BatchView {
  if (result.kind === 'accepted') return result.batch;
  throw new Error(result.error.message);
}
