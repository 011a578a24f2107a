import { expect, it } from 'vitest';
import type { BatchView } from '../../runner/journal/batch.ts';
import { ownView } from '../../runner/reconcile/poll/own-view.ts';
import { batch, intentId } from '../support/journal.ts';
import { settledIntent } from '../support/unreadable.ts';

const own = settledIntent();
const second = settledIntent({ intent: intentId(2), secondOf: intentId(1) });

it.each<[string, Parameters<typeof ownView>[0], Partial<BatchView>, boolean]>([
  ['its tag', own, { intent: intentId(1) }, true],
  ['its tag under an id that was wrapped anew', own, { intent: intentId(1), id: 'wrapped' }, true],
  ['no tag, and its id', own, { intent: null }, true],
  ['no tag, and another id', own, { intent: null, id: 'other' }, false],
  ['the tag of another, be it under its id', own, { intent: intentId(2) }, false],
  ['a second batch has the tag of the first', second, { intent: intentId(1) }, true],
  ['a second batch, and a tag of nobody', second, { intent: intentId(2) }, false],
])('an answer is about the batch: %s', (_, intent, changes, isOwn) => {
  const known = intent.batch?.id ?? '';
  const view = ownView(intent, batch(1, { id: known, ...changes }));
  expect(view?.id ?? null).toBe(isOwn ? known : null);
});
