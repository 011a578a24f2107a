import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTrace } from '../../runner/commands/trace.ts';
import { runVerify } from '../../runner/commands/verify.ts';
import type { Effect } from '../../runner/effects.ts';
import type { Rule } from '../../runner/emulator/scenario.ts';
import type { JobName } from '../../runner/ids.ts';
import { currentRun } from '../../runner/journal/fold.ts';
import { askRetry } from '../support/asks.ts';
import { answered, message, response, text } from '../support/lines.ts';
import { FOLDER } from '../support/machine.ts';
import { remember, worldAfter } from '../support/moments.ts';
import { rewriteJournal } from '../support/older.ts';
import { documentOf, printed } from '../support/reading.ts';
import { lines, repository, type World, world } from '../support/world.ts';

const SCHEMA = 'schemas/label.schema.json';
const DATA = 'data/tickets.jsonl';

/** The emulator answers with what a row states, so each row says here how long its answer is. */
const WORDS = ['one', 'three', 'seventeen', 'a hundred and one'];
const ROWS = WORDS.map((word, at) => ({ id: `T-${at}`, text: `Number ${at}\nword: ${word}` }));

/** `maxLength` does not travel: strict mode does not take it. */
function schema(word: object = {}): string {
  return JSON.stringify({
    type: 'object',
    additionalProperties: false,
    required: ['word'],
    properties: { word: { type: 'string', ...word } },
  });
}

function wordFiles(word: object = {}, job = ''): Record<string, string> {
  return { ...repository(job, ROWS), [SCHEMA]: schema(word) };
}

function wordWorld(word: object = {}, job = '', rules: readonly Rule[] = []): Promise<World> {
  return world(wordFiles(word, job), { rules });
}

interface Verified {
  readonly checks: readonly { readonly check: string; readonly state: string; readonly message: string }[];
}

async function wrongIn(w: World) {
  const { document } = await documentOf<Verified>(w.root, (common) => runVerify({ ...common, jobs: [] }));
  return document.checks.filter(({ state }) => state === 'wrong');
}

async function words(w: World): Promise<unknown[]> {
  return (await w.rows()).map((row) => row.word);
}

async function dispositions(w: World) {
  return (await w.report()).run?.books.dispositions;
}

async function batches(w: World): Promise<number[]> {
  return Object.values((await w.journal()).intents).map((intent) => intent.count);
}

describe('an edit of what the schema checks and does not send', () => {
  it('that is stricter: answers that break it leave the sinks and are held, and nothing is sent', async () => {
    const w = await wordWorld();
    await w.finish();
    expect(await words(w)).toEqual(WORDS);
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    expect(await w.plan()).toMatchObject([{ kind: 'revalidate', answers: 4 }]);
    await w.finish();
    expect(await w.paid()).toHaveLength(4);
    expect(await words(w)).toEqual(['one', 'three', 'seventeen']);
    expect(await dispositions(w)).toEqual({ applied: 3, held: 1 });
    expect((await w.report()).run?.needs).toMatchObject([
      { rows: 1, class: 'invalid_output', cause: '`/word` longer than 9 characters', examples: ['T-3'] },
    ]);
    expect(await w.plan(), 'done once').toEqual([]);
  });

  it('that no answer fits empties the sink', async () => {
    const w = await wordWorld();
    await w.finish();
    await w.write({ [SCHEMA]: schema({ maxLength: 2 }) });
    await w.finish();
    expect(await words(w)).toEqual([]);
    expect(await dispositions(w)).toEqual({ held: 4 });
    expect(await w.plan()).toEqual([]);
  });

  it('that is laxer: answers that were held are applied, and nothing is sent', async () => {
    const w = await wordWorld({ maxLength: 9 }, 'retry: { invalid_output: 0 }\n');
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 3, held: 1 });
    await w.write({ [SCHEMA]: schema() });
    await w.finish();
    expect(await w.paid()).toHaveLength(4);
    expect(await words(w)).toEqual(WORDS);
    expect(await dispositions(w)).toEqual({ applied: 4 });
    expect(await w.plan()).toEqual([]);
  });

  it('there and back: all is as it was', async () => {
    const w = await wordWorld();
    await w.finish();
    const before = await w.rows();
    await w.write({ [SCHEMA]: schema({ maxLength: 4 }) });
    await w.finish();
    expect(await words(w)).toEqual(['one']);
    await w.write({ [SCHEMA]: schema() });
    await w.finish();
    expect(await w.rows()).toEqual(before);
    expect(await w.paid()).toHaveLength(4);
    expect(await w.plan()).toEqual([]);
  });

  it('there and back, of an answer that was first held with a try left: it was valid once, and is not bought', async () => {
    const w = await wordWorld({ maxLength: 9 });
    await w.pass();
    const job = (more: string) => repository(more, ROWS)['jobs/tickets.yaml'] as string;
    await w.write({ 'jobs/tickets.yaml': job('suspend: until Monday\n') });
    await w.finish();
    await w.write({ 'jobs/tickets.yaml': job(''), [SCHEMA]: schema() });
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 4 });
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    await w.finish();
    expect(await batches(w)).toEqual([4]);
    expect(await dispositions(w)).toEqual({ applied: 3, held: 1 });
    expect(await w.plan()).toEqual([]);
  });

  it('of a row whose reply held two answers: what was for a person to decide is not bought either', async () => {
    const two = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((word) => message([text(JSON.stringify({ word }))]));
    const w = await wordWorld({}, '', [
      { on: 'line', batch: 1, line: 1, do: { text: answered(response(two)) } },
    ]);
    await w.finish();
    expect((await w.report()).run?.needs).toMatchObject([{ rows: 1, class: 'conflict' }]);
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    await w.finish();
    expect(await batches(w)).toEqual([4]);
    expect((await w.report()).run?.needs).toMatchObject([{ rows: 2, class: 'invalid_output' }]);
    await w.write({ [SCHEMA]: schema({ maxLength: 11 }) });
    await w.finish();
    expect(await batches(w), 'nor by a second edit').toEqual([4]);
  });

  it('that nothing breaks writes no sink anew', async () => {
    const w = await wordWorld();
    await w.finish();
    await w.write({ [SCHEMA]: schema({ maxLength: 100 }) });
    await w.finish();
    const run = currentRun(await w.journal(), 'tickets' as JobName);
    expect(Object.keys(run?.applied ?? {})).toHaveLength(1);
    expect(w.said.filter(({ text }) => text.startsWith('applied'))).toHaveLength(1);
    expect(await w.plan()).toEqual([]);
  });

  it('of annotations alone is no edit', async () => {
    const w = await wordWorld();
    await w.finish();
    await w.write({ [SCHEMA]: schema({ examples: ['one'] }) });
    expect(await w.plan()).toEqual([]);
    const { seq } = await w.journal();
    await w.finish();
    expect((await w.journal()).seq).toBe(seq);
  });

  it('while a batch is in flight: its answers are held against the new schema at once, and may be tried again', async () => {
    const w = await wordWorld();
    await w.pass();
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    expect(await w.plan(), 'there is no answer yet').toEqual([]);
    await w.finish();
    expect(await batches(w), 'the first try was never valid, so policy has its say').toEqual([4, 1]);
    expect(await dispositions(w)).toEqual({ applied: 3, held: 1 });
    expect(w.said.some(({ text }) => text.includes('held against the edited schema'))).toBe(false);
  });

  it('lets the rest go where the canary now passes', async () => {
    const w = await world(
      {
        ...repository('canary: { items: 3, min_valid: 0.9 }\nretry: { invalid_output: 0 }\n', ROWS),
        'jobs/tickets.yaml': (
          repository('canary: { items: 3, min_valid: 0.9 }\nretry: { invalid_output: 0 }\n', ROWS)[
            'jobs/tickets.yaml'
          ] as string
        ).replace('canary: false\n', ''),
        [SCHEMA]: schema({ maxLength: 5 }),
      },
      {},
    );
    await w.finish();
    expect((await w.report()).phase).toBe('stalled');
    await w.write({ [SCHEMA]: schema() });
    await w.finish();
    expect(await batches(w)).toEqual([3, 1]);
    expect(await dispositions(w)).toEqual({ applied: 4 });
  });

  it('beside an edit of the prompt: the old answers are not asked about', async () => {
    const w = await wordWorld();
    await w.finish();
    await w.write({
      [SCHEMA]: schema({ maxLength: 9 }),
      'prompts/tickets/user.hbs': 'Which word? {{text}}\n',
    });
    await w.finish();
    expect(await batches(w)).toEqual([4, 4, 1]);
    expect(await dispositions(w)).toEqual({ applied: 3, held: 1 });
    expect(await w.plan()).toEqual([]);
  });

  it('a suspended job is left as it is until it goes on', async () => {
    const w = await wordWorld();
    await w.finish();
    const job = repository('suspend: waiting for legal\n', ROWS)['jobs/tickets.yaml'] as string;
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }), 'jobs/tickets.yaml': job });
    await w.finish();
    expect(await words(w)).toEqual(WORDS);
    await w.write({ 'jobs/tickets.yaml': repository('', ROWS)['jobs/tickets.yaml'] as string });
    await w.finish();
    expect(await words(w)).toEqual(['one', 'three', 'seventeen']);
    expect(await w.paid()).toHaveLength(4);
  });
});

describe('rows that an edited schema has put on hold', () => {
  const strict = { [SCHEMA]: schema({ maxLength: 9 }) };

  it('are not bought again by an edit elsewhere', async () => {
    const w = await wordWorld();
    await w.finish();
    await w.write(strict);
    await w.finish();
    await w.write({ [DATA]: lines([...ROWS, { id: 'T-new', text: 'Number 5\nword: five' }]) });
    await w.finish();
    expect(await batches(w)).toEqual([4, 1]);
    expect(await dispositions(w)).toEqual({ reused: 3, held: 1, applied: 1 });
    expect((await w.report()).run?.needs).toMatchObject([{ rows: 1, examples: ['T-3'] }]);
    expect(await w.plan()).toEqual([]);
  });

  it('nor where both edits come at once', async () => {
    const w = await wordWorld();
    await w.finish();
    await w.write({
      ...strict,
      [DATA]: lines([...ROWS, { id: 'T-new', text: 'Number 5\nword: five' }]),
    });
    expect((await w.plan()).map((action) => action.kind)).toEqual(['revalidate', 'new_run']);
    await w.finish();
    expect(await batches(w)).toEqual([4, 1]);
    expect(await dispositions(w)).toEqual({ reused: 3, held: 1, applied: 1 });
  });

  it('nor where an earlier schema comes back in a new run with a stricter check', async () => {
    const w = await wordWorld();
    await w.finish();
    const other = JSON.stringify({ ...JSON.parse(schema()), description: 'A word.' });
    await w.write({ [SCHEMA]: other });
    await w.finish();
    expect(await batches(w)).toEqual([4, 4]);
    await w.write(strict);
    await w.finish();
    expect(await batches(w)).toEqual([4, 4]);
    expect(await dispositions(w)).toEqual({ reused: 3, held: 1 });
    expect(await words(w)).toEqual(['one', 'three', 'seventeen']);
    expect(await w.plan()).toEqual([]);
  });

  it('say in their trace what they were before', async () => {
    const w = await wordWorld();
    await w.finish();
    await w.write(strict);
    await w.finish();
    await w.restart();
    const { text } = await printed(w.root, (common) => runTrace({ ...common, job: 'tickets', key: ['T-3'] }));
    expect(text).toMatch(
      /invalid_output, `\/word` longer than 9 characters .*ok when it was first read.*decided: hold/,
    );
  });

  it('are tried again when a person asks, and verify does not call that a mistake', async () => {
    const w = await wordWorld({}, 'retry: { invalid_output: 0 }\n');
    await w.finish();
    await w.write(strict);
    await w.finish();
    await askRetry(w, ['invalid_output']);
    await w.finish();
    expect(await batches(w)).toEqual([4, 1]);
    await w.write({ [SCHEMA]: schema() });
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 4 });
    expect(await wrongIn(w)).toEqual([]);
  });
});

describe('a pass that dies while it looks at answers again', () => {
  it.each(['process', 'machine'] as const)(
    'with its %s, before anything that lasts: the next one finishes it',
    async (loss) => {
      const files = wordFiles({}, 'shard: { max_items: 2 }\n');
      const first = await world(files);
      await first.finish();
      await first.write({ [SCHEMA]: schema({ maxLength: 9 }) });
      first.emulator.clock.advance(1_000);
      const { moments } = await remember(first, () => first.pass(), { loss, isChosen: isLasting });
      await first.end();
      expect(new Set(moments.map(({ effect }) => effect.name)).size).toBeGreaterThan(1);
      const written =
        moments.find(({ effect }) => effect.name === 'sink.write')?.at ?? Number.POSITIVE_INFINITY;
      for (const moment of moments) {
        const w = await worldAfter(moment, { files, scenario: {}, machine: FOLDER });
        const where = `${moment.effect.name} ${moment.effect.target}`;
        // A sink that is ahead of the journal is named, and rightly so.
        const known = moment.at > written ? ['sink'] : [];
        const wrong = (await wrongIn(w)).filter(({ check }) => !known.includes(check));
        expect(wrong, `verify, before it is finished, after ${where}`).toEqual([]);
        if (loss === 'machine') await w.loseMachine();
        await w.finish();
        expect(await words(w), where).toEqual(['one', 'three', 'seventeen']);
        expect(await dispositions(w), where).toEqual({ applied: 3, held: 1 });
        expect(await w.paid(), where).toHaveLength(4);
        expect(await w.plan(), where).toEqual([]);
        await w.end();
      }
    },
  );

  function isLasting({ name }: Effect): boolean {
    return ['store.put', 'file.link', 'sink.write'].includes(name);
  }
});

describe('a journal of an earlier version', () => {
  it('says nothing of checks: the recipes do', async () => {
    const w = await wordWorld();
    await w.finish();
    await rewriteJournal(w.root, (event) => {
      if (event.type !== 'run.frozen' && event.type !== 'outcomes.settled') return event;
      const { check: _, ...older } = event;
      return older;
    });
    await w.restart();
    await w.loseMachine();
    await w.finish();
    expect(await w.plan()).toEqual([]);
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 3, held: 1 });
    expect(await w.paid()).toHaveLength(4);
  });
});

describe('raw files that cannot be read', () => {
  it('hold the job back, with a reason', async () => {
    const w = await wordWorld();
    await w.finish();
    const folder = join(w.root, 'state/tickets/runs/1');
    const [raw] = (await readdir(folder)).filter((name) => name.startsWith('raw-output'));
    const path = join(folder, raw ?? '');
    const bytes = await readFile(path);
    await rm(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 5));
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    const { rests } = await w.pass();
    expect(rests).toMatchObject([{ kind: 'blocked', reason: 'FilesDamaged' }]);
    expect(await words(w), 'the sink is left as it is').toEqual(WORDS);
  });
});
