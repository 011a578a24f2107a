import { describe, expect, test } from 'vitest';
import { instant } from '../../runner/ids.ts';
import type { RunDefinition } from '../../runner/spec/job.ts';
import { loadRepository } from '../../runner/spec/load.ts';
import { NINE_LINES, type RepoFiles, repo, TICKET_FILES } from '../support/repo.ts';

const NOW = instant('2026-11-30T09:00:00Z');
const JOB = 'jobs/ticket-labels.yaml';
const USER = 'prompts/ticket-labels/user.hbs';
const SYSTEM = 'prompts/ticket-labels/system.hbs';
const SCHEMA = 'schemas/ticket-label.schema.json';

async function loaded(changes: RepoFiles = {}) {
  await using files = await repo({ ...TICKET_FILES, ...changes });
  return await loadRepository(files.root, { now: NOW });
}

const replaced = (text: string, from: string, to: string) => {
  expect(text).toContain(from);
  return text.replace(from, to);
};
const ticket = (path: string) => String(TICKET_FILES[path]);

describe('what defines a run', () => {
  const CASES: readonly (readonly [
    name: string,
    changes: RepoFiles,
    changed: readonly (keyof RunDefinition)[],
  ])[] = [
    ['moving the file', { 'jobs/team/labels.yaml': NINE_LINES, [JOB]: '' }, []],
    [
      'comments and the order of fields',
      { [JOB]: `# note\n${NINE_LINES.split('\n').slice(1).reverse().join('\n')}` },
      [],
    ],
    [
      'a default that is written out',
      { [JOB]: `${NINE_LINES}canary: { items: 10 }\npriority: normal\n` },
      [],
    ],
    [
      'the long form of the model',
      {
        [JOB]: replaced(
          NINE_LINES,
          'openai/gpt-5.4-mini',
          '{ provider: openai, name: gpt-5.4-mini, endpoint: /v1/responses }',
        ),
      },
      [],
    ],
    [
      'operational fields',
      {
        [JOB]: `${NINE_LINES}labels: { a: b }\nshard: { max_in_flight: 2 }\nretry: { max_attempts: 2 }\nsuspend: legal\n`,
      },
      [],
    ],
    ['pass', { [JOB]: replaced(NINE_LINES, 'key: ticket_id', 'key: ticket_id, pass: lang') }, []],
    ['CRLF in a prompt', { [USER]: ticket(USER).replaceAll('\n', '\r\n') }, []],
    [
      'a prompt under another name',
      {
        [JOB]: replaced(NINE_LINES, 'prompt: ticket-labels', 'prompt: { system: x/s.hbs, user: x/u.hbs }'),
        'prompts/x/s.hbs': ticket(SYSTEM),
        'prompts/x/u.hbs': ticket(USER),
      },
      [],
    ],
    ['a partial that is not used', { 'prompts/partials/tone.hbs': 'Be calm.' }, []],
    [
      'annotations of the schema',
      { [SCHEMA]: replaced(ticket(SCHEMA), '"title": "TicketLabel"', '"title": "T", "$comment": "x"') },
      [],
    ],
    ['a keyword that stays at home', { [SCHEMA]: replaced(ticket(SCHEMA), '200', '300') }, []],
    ['the model', { [JOB]: replaced(NINE_LINES, 'gpt-5.4-mini', 'gpt-5.4') }, ['model']],
    ['a byte of the user prompt', { [USER]: `${ticket(USER)} ` }, ['prompt']],
    [
      'no system prompt',
      { [JOB]: replaced(NINE_LINES, 'prompt: ticket-labels', 'prompt: { user: ticket-labels/user.hbs }') },
      ['prompt'],
    ],
    [
      'a description in the schema',
      { [SCHEMA]: replaced(ticket(SCHEMA), 'Why.', 'Why, in a sentence.') },
      ['schema'],
    ],
    ['another token cap', { [JOB]: replaced(NINE_LINES, 'max_tokens: 60', 'max_tokens: 61') }, ['output']],
    ['another key', { [JOB]: replaced(NINE_LINES, 'key: ticket_id', 'key: [ticket_id, part]') }, ['input']],
    [
      'a query',
      { [JOB]: replaced(NINE_LINES, 'key: ticket_id', 'key: ticket_id, sql: SELECT * FROM input') },
      ['input'],
    ],
    [
      'what happens to a bad row',
      { [JOB]: replaced(NINE_LINES, 'key: ticket_id', 'key: ticket_id, on_bad_row: set_aside') },
      ['input'],
    ],
  ];

  test.each(CASES)('%s', async (_name, changes, changed) => {
    const without = Object.fromEntries(
      Object.entries({ ...TICKET_FILES, ...changes }).filter(([, text]) => text !== ''),
    );
    await using files = await repo(without);
    const before = (await loaded()).jobs[0]?.defines;
    const after = (await loadRepository(files.root, { now: NOW })).jobs[0]?.defines;
    const names = Object.keys(before ?? {}) as (keyof RunDefinition)[];
    expect(names.filter((name) => before?.[name] !== after?.[name])).toEqual(changed);
  });

  test('a used partial counts, with the partials that it uses', async () => {
    const using = (tone: string) =>
      loaded({
        [USER]: '{{subject}} {{> tone}}',
        'prompts/partials/tone.hbs': '{{> deep/er}}',
        'prompts/partials/deep/er.hbs': tone,
      });
    const [calm, firm] = [await using('calm'), await using('firm')];
    expect(Object.keys(calm.jobs[0]?.prompts.partials ?? {})).toEqual(['deep/er', 'tone']);
    expect(calm.jobs[0]?.defines.prompt).not.toBe(firm.jobs[0]?.defines.prompt);
  });
});
