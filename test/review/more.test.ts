import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runReprocess } from '../../runner/commands/reprocess.ts';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { digestOfFile, sizeOf } from '../../runner/files.ts';
import type { JobName } from '../../runner/ids.ts';
import { currentRun, intentsOf } from '../../runner/journal/fold.ts';
import { noteCheckChanges } from '../../runner/reconcile/checks.ts';
import { printed, storedFile } from '../support/reading.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

const FILES = ['manifest', 'outcomes'] as const;

it.each(FILES.flatMap((file) => [0, -1, -5, -40].map((at) => ({ file, at }))))(
  'a damaged end of an older file holds its own job back and no other: $file at $at',
  async ({ file, at }) => {
    const files = repository();
    const job = files['jobs/tickets.yaml'] ?? '';
    const w = await world(files);
    await w.finish();
    await w.write({ 'prompts/tickets/user.hbs': 'Label it again: {{text}}\n' });
    await w.finish();
    await w.write({
      'jobs/others.yaml': job.replace('name: tickets', 'name: others').replace('tickets.jsonl', 'others.jsonl').replaceAll('prompt: tickets', 'prompt: others'),
      'prompts/others/user.hbs': 'Label: {{text}}\n',
      'data/others.jsonl': lines(TICKETS.map(({ id, text }) => ({ id, text: `Other: ${text}` }))),
    });
    const path = await storedFile(w.root, 'tickets/runs/1', file);
    const bytes = await readFile(path);
    const place = at < 0 ? bytes.length + at : at;
    bytes[place] = (bytes[place] ?? 0) ^ 0x20;
    await writeFile(path, bytes);
    await w.restart();
    await w.finish();
    expect((await w.report('others')).run?.books.dispositions).toEqual({ applied: 8 });
  },
);

it('what a provider says of a row stands on no page that shows no rows', async () => {
  const files = repository();
  const w = await world(
    { ...files, 'batchwright.yaml': `${files['batchwright.yaml']}report: { keys: hashed, samples: 0 }\n` },
    {
      rules: [
        {
          on: 'line',
          do: { status: 400, code: 'unsupported_value', message: "Unsupported value: 'the wheel is bent' is not supported" },
        },
      ],
    },
  );
  await w.finish();
  const folder = join(w.root, 'state/tickets');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(md|json|csv)$/.test(name));
  expect((await w.report()).run?.stop?.reason).toBe('ProviderRejected');
  const found: string[] = [];
  for (const name of [...names.map((each) => join(folder, each)).filter((each) => !each.includes('recipe')), join(w.root, 'state/README.md')])
    if ((await readFile(name, 'utf8')).includes('wheel is bent')) found.push(name.slice(w.root.length));
  expect(found).toEqual([]);
});

const SCHEMA = 'schemas/label.schema.json';
const WORDS = ['one', 'three', 'seventeen', 'a hundred and one'];
const ROWS = WORDS.map((word, at) => ({ id: `T-${at}`, text: `Number ${at}\nword: ${word}` }));
const schema = (word: object = {}) =>
  JSON.stringify({
    type: 'object',
    additionalProperties: false,
    required: ['word'],
    properties: { word: { type: 'string', ...word } },
  });

async function misreadFirst(w: World): Promise<void> {
  const ctx = await w.context();
  const { state } = ctx.journal;
  const run = currentRun(state, 'tickets' as JobName);
  const intent = run === undefined ? undefined : intentsOf(state, run)[0];
  if (intent?.settled == null) throw new Error('nothing is settled');
  const name = `tickets/runs/1/outcomes-${intent.intent}-misread.parquet`;
  const path = join(w.root, 'state', name);
  const duck = await openDuck();
  await duck.run(
    `COPY (SELECT * REPLACE (CASE WHEN ordinal = 0 THEN 'provider_error' ELSE class END AS class,
         CASE WHEN ordinal = 0 THEN NULL ELSE answer END AS answer) FROM read_parquet(${sqlText(join(w.root, 'state', intent.settled.outcomes.name))}))
       TO ${sqlText(path)} (FORMAT parquet)`,
  );
  duck.close();
  const { summary, collections, check = null } = intent.settled;
  await ctx.journal.append([
    {
      type: 'outcomes.revised',
      why: 'reprocess',
      intent: intent.intent,
      job: intent.job,
      run: 1,
      check,
      outcomes: { name, digest: (await digestOfFile(path)).digest, bytes: (await sizeOf(path)) ?? 0 },
      summary: { ...summary, counts: { ok: intent.count - 1, provider_error: 1 } },
      usd: 0,
      wastedUsd: 0,
      collections,
    },
  ]);
}

it('a reprocess between an edit of the schema and its reading does not pass old answers for checked ones', async () => {
  const w = await world({ ...repository('', ROWS), [SCHEMA]: schema() });
  await w.finish();
  await misreadFirst(w);
  await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
  await w.restart();
  // The process that told the journal of the edit died before it read the answers again.
  await noteCheckChanges(await w.context());
  await printed(w.root, (common) => runReprocess({ ...common, job: 'tickets', all: false, yes: false }));
  await w.restart();
  await w.finish();
  expect((await w.rows()).map((row) => row.word)).toEqual(['one', 'three', 'seventeen']);
});
