import { describe, expect, test } from 'vitest';
import type { BatchView } from '../../runner/journal/batch.ts';
import type { OrdinalRange } from '../../runner/journal/events.ts';
import { failedBatch } from '../../runner/outcome/failed-batch.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';

type BatchError = BatchView['errors'][number];

/** Six items: lines 1 to 3 of the file are 4 to 6, lines 4 to 6 are 20 to 22. */
const ORDINALS: readonly OrdinalRange[] = [
  [4, 6],
  [20, 22],
];

function error(
  about: BatchError['about'],
  line: number | null,
  code: string | null = 'some_code',
): BatchError {
  return { code, message: 'in words', line, ...(about === undefined ? {} : { about }) };
}

function classes(...errors: BatchError[]): OutcomeClass[] {
  const rowOf = failedBatch({ errors }, ORDINALS);
  return [4, 5, 6, 20, 21, 22].map((ordinal) => rowOf(ordinal).class);
}

const all = (of: OutcomeClass): OutcomeClass[] => Array.from({ length: 6 }, () => of);

describe('a batch that failed as a whole', () => {
  test('B042: no room: every item waits and none has failed', () => {
    expect(classes(error('capacity', null))).toEqual(all('rate_or_capacity'));
  });

  test('B043: named lines are quarantined, the rest goes again', () => {
    const rest = 'expired';
    expect(classes(error('request', 1), error('request', 5), error('request', 5))).toEqual([
      'invalid_request',
      rest,
      rest,
      rest,
      'invalid_request',
      rest,
    ]);
  });

  test('B031: the model is not there: nothing is marked failed, a person acts', () => {
    expect(classes(error('request', null, 'model_not_found'))).toEqual(all('cancelled'));
    expect(classes(error(undefined, null))).toEqual(all('cancelled'));
  });

  test('a line error beside one that is about all: the named line is bad all the same', () => {
    expect(classes(error('request', null), error('request', 2))).toEqual([
      'cancelled',
      'invalid_request',
      'cancelled',
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  });

  test('no money, whatever line it is pinned to', () => {
    expect(classes(error('account', 1))).toEqual(all('account'));
  });

  test('B041: the file was not seen yet', () => {
    expect(classes(error('server', null))).toEqual(all('provider_error'));
  });

  test('a line that the file does not have, or no reason at all', () => {
    expect(classes(error('request', 7))).toEqual(all('cancelled'));
    expect(classes()).toEqual(all('cancelled'));
  });

  test('nothing ran, so nothing has usage or an answer', () => {
    const row = failedBatch({ errors: [error('request', 1, null)] }, ORDINALS)(4);
    expect(row).toEqual({
      class: 'invalid_request',
      cause: 'batch failed: no code',
      detail: 'in words',
      answer: null,
      said: null,
      usage: null,
      servedModel: null,
      responseId: null,
    });
  });
});
