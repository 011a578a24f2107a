import { expect, it, onTestFinished } from 'vitest';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import { answerTally } from '../../runner/ledger/answer-counts.ts';

/** The tables that a tally reads, with these answers in run 1; each item has an answer of its own. */
async function ledgerOf(
  answers: readonly (readonly [answer: unknown, model: string | null])[],
): Promise<Duck> {
  const duck = await openDuck();
  onTestFinished(() => duck.close());
  const rows = answers.map(
    ([answer, model], at) =>
      `(${at}, ${sqlText(JSON.stringify(answer))}, ${model === null ? 'NULL' : sqlText(model)})`,
  );
  await duck.run(`
    CREATE TABLE outcome AS SELECT 1 AS run, 1 AS shard, * FROM (VALUES ${rows.join(', ')}) v(ordinal, answer, model);
    CREATE TABLE item AS SELECT 1 AS run, ordinal, ordinal AS request FROM outcome;
    CREATE TABLE answer AS SELECT 'a' AS account, ordinal AS request, 'ok' AS verdict, 1 AS run, 1 AS shard, ordinal FROM outcome;
    CREATE TABLE run AS SELECT 1 AS run, 'a' AS account`);
  return duck;
}

it('counts the values of each field, whatever its name, and the models, the most frequent first', async () => {
  const odd = 'a/b~c\\ \'"é';
  const duck = await ledgerOf([
    [{ [odd]: 'x', sure: true }, 'm-1'],
    [{ [odd]: 'x', sure: false }, 'm-1'],
    [{ [odd]: null, sure: false }, 'm-2'],
    [{ sure: false }, null],
  ]);
  expect(await answerTally(duck, 1, [odd, 'sure'])).toEqual({
    values: [
      { field: odd, value: 'null', count: 2 },
      { field: odd, value: 'x', count: 2 },
      { field: 'sure', value: 'false', count: 3 },
      { field: 'sure', value: 'true', count: 1 },
    ],
    models: { 'm-1': 2, 'm-2': 1, unknown: 1 },
  });
});

it('counts the models where no field has few values', async () => {
  const duck = await ledgerOf([
    ['free text', 'm-1'],
    ['more of it', 'm-1'],
  ]);
  expect(await answerTally(duck, 1, [])).toEqual({ values: [], models: { 'm-1': 2 } });
});

it('has nothing to count where nothing is answered', async () => {
  const duck = await ledgerOf([['another run', 'm-1']]);
  expect(await answerTally(duck, 2, ['sure'])).toEqual({ values: [], models: {} });
});
