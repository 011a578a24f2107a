import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../runner/emulator/scenario.ts';
import type { Need } from '../../runner/report/report.ts';
import { askRetry } from '../support/asks.ts';
import { answered, chat, refusedWith, VALID_TEXT } from '../support/lines.ts';
import { repository, type World, world } from '../support/world.ts';

/** Each retry that a job can have is allowed, so that what is not sent again is so because of its class alone. */
const RETRIES = 'retry: { max_attempts: 5, invalid_output: 3, truncated: { max_tokens: 500 } }\n';

function chatFiles(): Record<string, string> {
  const files = repository(RETRIES);
  const job = (files['jobs/tickets.yaml'] as string).replace(
    'model: openai/gpt-5.4-mini',
    'model: { provider: openai, name: gpt-5.4-mini, endpoint: /v1/chat/completions }',
  );
  return { ...files, 'jobs/tickets.yaml': job };
}

/** Every line of the first batch says this. */
function everyLine(text: string): Rule[] {
  return [{ on: 'line', batch: 1, do: { text } }];
}

async function needs(w: World): Promise<readonly Need[]> {
  return (await w.report()).run?.needs ?? [];
}

describe('a stop that another try cannot change', () => {
  it.each(['model_context_window_exceeded', 'model_length'])('%s is never paid for again', async (reason) => {
    const line = answered(chat({ content: VALID_TEXT }, { finish_reason: reason }));
    const w = await world(chatFiles(), { rules: everyLine(line) });
    await w.finish();
    expect(await w.paid()).toHaveLength(8);
    expect((await w.report()).run?.books.dispositions).toEqual({ failed: 8 });
    expect(await needs(w)).toMatchObject([
      { rows: 8, class: 'invalid_request', cause: 'the context window was full' },
    ]);
    expect((await needs(w))[0]?.next).toContain('a longer context window');
    await expect(askRetry(w, ['invalid_request'])).rejects.toThrow();
  });

  it('nor by a new run that makes the same requests', async () => {
    const line = answered(chat({ content: '' }, { finish_reason: 'model_length' }));
    const w = await world(chatFiles(), { rules: everyLine(line) });
    await w.finish();
    const files = chatFiles();
    await w.write({ 'data/tickets.jsonl': `${files['data/tickets.jsonl']}{"id":"T-z","text":"one more"}\n` });
    await w.finish();
    expect(await w.paid(), 'only what is new').toHaveLength(9);
    expect((await w.report()).run?.books.dispositions).toEqual({ failed: 8, applied: 1 });
  });
});

describe('a stop for a reason that nobody knows', () => {
  const line = answered(chat({ content: VALID_TEXT }, { finish_reason: 'eclipse' }));

  it('needs a person at once, whatever retries the job allows', async () => {
    const w = await world(chatFiles(), { rules: everyLine(line) });
    await w.finish();
    expect(await w.paid()).toHaveLength(8);
    expect((await w.report()).run?.books.dispositions).toEqual({ held: 8 });
    expect(await needs(w)).toMatchObject([{ rows: 8, class: 'unknown_stop', causeRows: 8 }]);
    expect((await needs(w))[0]?.next).toContain('batchwright retry tickets --class unknown_stop');
    const held = await readFile(join(w.root, 'state/tickets/held.csv'), 'utf8');
    expect(held, 'its words are there to be read').toContain('eclipse');
  });

  it('and goes again when a person says so', async () => {
    const w = await world(chatFiles(), { rules: everyLine(line) });
    await w.finish();
    await askRetry(w, ['unknown_stop']);
    await w.finish();
    expect(await w.paid()).toHaveLength(16);
    expect((await w.report()).run?.books.dispositions).toEqual({ applied: 8 });
  });

  it('is not bought again by an edit elsewhere', async () => {
    const w = await world(chatFiles(), { rules: everyLine(line) });
    await w.finish();
    const files = chatFiles();
    await w.write({ 'data/tickets.jsonl': `${files['data/tickets.jsonl']}{"id":"T-z","text":"one more"}\n` });
    await w.finish();
    expect(await w.paid()).toHaveLength(9);
    expect((await w.report()).run?.books.dispositions).toEqual({ held: 8, applied: 1 });
  });
});

describe('what cannot be read is bought by nobody but a person', () => {
  it('an answer in a form that nobody knows waits, and the page says what to do', async () => {
    const w = await world(chatFiles(), { rules: everyLine(answered({ prediction: VALID_TEXT })) });
    await w.finish();
    expect(await w.paid()).toHaveLength(8);
    expect((await w.report()).run?.books.dispositions).toEqual({ unreadable: 8 });
    expect(await needs(w)).toMatchObject([{ rows: 8, class: 'unreadable' }]);
  });
});

describe('where all rows end for one reason, the advice is about that reason', () => {
  it('blanks up to the cap: not a higher cap', async () => {
    const line = answered(chat({ content: ' \n \n' }, { finish_reason: 'length' }));
    const w = await world(chatFiles(), { rules: [{ on: 'line', do: { text: line } }] });
    await w.finish();
    expect(await needs(w)).toMatchObject([
      { rows: 8, class: 'truncated', cause: 'nothing but blanks up to the token cap' },
    ]);
    expect((await needs(w))[0]?.next).toMatch(/^a higher cap would buy more blanks/);
  });

  it('a request that is refused in every row: the run has stopped, and says what lifts that', async () => {
    const line = refusedWith(400, { code: 'invalid_json_schema' });
    const w = await world(chatFiles(), { rules: everyLine(line) });
    await w.finish();
    expect((await needs(w))[0]?.next).toMatch(/^mend what it names and merge, which is a new run/);
    const held = await readFile(join(w.root, 'state/tickets/held.csv'), 'utf8');
    expect(held).toContain('mend what it names and merge, which is a new run');
  });
});

it('what a provider says of a row stands on no page that shows no rows', async () => {
  const files = repository();
  const w = await world(
    { ...files, 'batchwright.yaml': `${files['batchwright.yaml']}report: { keys: hashed, samples: 0 }\n` },
    {
      rules: [
        {
          on: 'line',
          do: {
            status: 400,
            code: 'unsupported_value',
            message: "Unsupported value: 'the wheel is bent' is not supported",
          },
        },
      ],
    },
  );
  await w.finish();
  expect((await w.report()).run?.stop?.reason).toBe('ProviderRejected');
  const names = await readdir(join(w.root, 'state'), { recursive: true });
  const pages = names.filter((name) => /(README\.md|report\.md|status\.json|held\.csv)$/.test(name));
  const found: string[] = [];
  for (const name of pages)
    if ((await readFile(join(w.root, 'state', name), 'utf8')).includes('wheel is bent')) found.push(name);
  expect(pages.length).toBeGreaterThan(4);
  expect(found).toEqual([]);
});
