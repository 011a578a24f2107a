import { expect, test } from 'vitest';
import { answerReport, type CountedAnswers } from '../../runner/report/answers.ts';

const NOW: CountedAnswers['counts'] = [
  { field: 'label', value: 'b', count: 5 },
  { field: 'label', value: 'a', count: 5 },
  { field: 'label', value: 'c', count: 9 },
  { field: 'urgent', value: 'true', count: 1 },
];

test('values by frequency, ties by name; fields in the order of the schema', () => {
  const report = answerReport({ fields: ['urgent', 'label'], counts: NOW, before: null });
  expect(report).toEqual({
    fields: [
      { name: 'urgent', values: [{ value: 'true', count: 1, before: null }] },
      {
        name: 'label',
        values: [
          { value: 'c', count: 9, before: null },
          { value: 'a', count: 5, before: null },
          { value: 'b', count: 5, before: null },
        ],
      },
    ],
    before: null,
  });
});

test('compared with an earlier run: new and vanished values, the most frequent move', () => {
  const report = answerReport({
    fields: ['label'],
    counts: NOW,
    before: {
      run: 6,
      counts: [
        { field: 'label', value: 'c', count: 4 },
        { field: 'label', value: 'gone', count: 2 },
      ],
      keysInBoth: 6,
      changed: 3,
      moves: [
        { field: 'label', from: 'gone', to: 'c', count: 1 },
        { field: 'label', from: 'c', to: 'a', count: 1 },
      ],
    },
  });
  expect(report?.fields[0]?.values).toEqual([
    { value: 'c', count: 9, before: 4 },
    { value: 'a', count: 5, before: 0 },
    { value: 'b', count: 5, before: 0 },
    { value: 'gone', count: 0, before: 2 },
  ]);
  expect(report?.before).toEqual({
    run: 6,
    keysInBoth: 6,
    changed: 3,
    topMove: { field: 'label', from: 'c', to: 'a', count: 1 },
  });
});

test('nothing that can be counted, nothing to tabulate', () => {
  expect(answerReport({ fields: [], counts: [], before: null })).toBeNull();
});
