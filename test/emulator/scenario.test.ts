import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkScenario, fillScenario } from '../../runner/emulator/scenario-check.ts';
import { parseScenario, readScenarioFile } from '../../runner/emulator/scenario-file.ts';
import { UserError } from '../../runner/errors.ts';

async function findingsOf(text: string): Promise<UserError['findings']> {
  try {
    await parseScenario(text, 'scenarios/mine.yaml');
    return [];
  } catch (error) {
    if (error instanceof UserError) return error.findings;
    throw error;
  }
}

test('a mistake has its place, the line, and the nearest name', async () => {
  const [finding, ...more] = await findingsOf('name: x\nrules:\n  - on: create\n    do: { stauts: 500 }\n');
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    file: 'scenarios/mine.yaml',
    line: 4,
    column: 19,
    source: '    do: { stauts: 500 }',
    message: '`stauts` is not known in `rules.0.do`',
  });
  expect(finding?.hint).toContain('Did you mean `status`?');
});

describe('says what is wrong with', () => {
  test.each([
    ['a list instead of a mapping', '[]', 'a scenario must be a mapping with `rules`; it is []'],
    ['an unknown operation', 'rules: [{ on: submit, do: {} }]', '`on` must be one of upload, create'],
    ['a rule without a fault', 'rules: [{ on: poll }]', 'a rule needs `do`'],
    [
      'a share above 1',
      'rules: [{ on: line, share: 2, do: {} }]',
      '`share` must be a share from 0 to 1; it is 2',
    ],
    ['a batch fault on a poll', 'rules: [{ on: poll, do: { stuck: finalizing } }]', '`stuck` is not known'],
    ['a line condition on a call', 'rules: [{ on: poll, sticky: true, do: {} }]', '`sticky` is not known'],
    ['a broken pattern', 'rules: [{ on: line, custom_id: "(", do: {} }]', 'must be a regular expression'],
    ['a phase in words', 'phases: { running_ms: soon }', 'must be a number of milliseconds'],
    [
      'an unknown answer',
      'rules: [{ on: line, do: { answer: nonsense } }]',
      '`answer` must be one of refusal',
    ],
    ['a call number 0', 'rules: [{ on: poll, nth: 0, do: {} }]', 'a whole number from 1'],
    ['YAML that is none', 'rules: [', 'Flow sequence'],
  ])('%s', async (_name, text, message) => {
    expect((await findingsOf(text)).map((finding) => finding.message).join('\n')).toContain(message);
  });
});

test('all mistakes come at once', async () => {
  expect(await findingsOf('seed: 7\nrules:\n  - { on: poll, do: { status: 99 } }\n')).toHaveLength(2);
});

test('a scenario that is not there is named', async () => {
  await expect(readScenarioFile('/nowhere/mine.yaml', 'mine.yaml')).rejects.toThrow(
    'no scenario file mine.yaml',
  );
});

test('gaps are filled with quick phases and limits that each provider fills', () => {
  const full = fillScenario({ phases: { running_ms: 5 } });
  expect(full.phases).toMatchObject({ running_ms: 5, validating_ms: 300 });
  expect(full.limits).toMatchObject({ requests_per_batch: null, file_bytes: null });
  expect(checkScenario({ ...full })).toEqual([]);
});

test('the scenarios that come with the project are without mistakes', async () => {
  const folder = join(import.meta.dirname, '../../scenarios');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  expect(files.length).toBeGreaterThan(1);
  for (const name of files) {
    const scenario = await readScenarioFile(join(folder, name), name);
    expect(scenario.name).toBe(name.replace('.yaml', ''));
    expect(scenario.about).toBeTruthy();
  }
});
