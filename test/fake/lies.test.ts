import { expect, it } from 'vitest';
import { createLiar, type Lie, type Occasion } from './lies.ts';

const START = 1_000_000;
const POLL: Occasion = { on: 'poll', provider: 'openai', batch: 2, part: null, endedAt: START + 500 };
const LIE: Lie = { on: 'poll', what: { kind: 'html' } };

it.each<[string, Partial<Lie>, Partial<Occasion>, number, boolean]>([
  ['is told always', {}, {}, 0, true],
  ['is of another errand', {}, { on: 'list' }, 0, false],
  ['is not told yet', { from: 100 }, {}, 99, false],
  ['is told from its first moment', { from: 100, until: 200 }, {}, 100, true],
  ['is told to its last moment', { from: 100, until: 200 }, {}, 199, true],
  ['is told no more', { from: 100, until: 200 }, {}, 200, false],
  ['waits for the end', { afterEnd: { from: 0, until: 50 } }, {}, 499, false],
  ['begins with the end', { afterEnd: { from: 0, until: 50 } }, {}, 500, true],
  ['stops some time after the end', { afterEnd: { from: 0, until: 50 } }, {}, 550, false],
  ['needs an end', { afterEnd: { from: 0, until: 50 } }, { endedAt: null }, 510, false],
  ['is of this batch', { batch: 2 }, {}, 0, true],
  ['is of another batch', { batch: 1 }, {}, 0, false],
  ['is of this provider', { provider: 'openai' }, {}, 0, true],
  ['is of another provider', { provider: 'gemini' }, {}, 0, false],
  ['is of another part', { part: 'error' }, { part: 'output' }, 0, false],
  ['is of this part', { part: 'error' }, { part: 'error' }, 0, true],
])('a lie that %s', (_name, scope, occasion, since, told) => {
  const liar = createLiar(START, [{ ...LIE, ...scope } as Lie]);
  expect(liar.find({ ...POLL, ...occasion }, START + since) !== null).toBe(told);
});

it('is told as often as it may, then the next one', () => {
  const liar = createLiar(START, [{ ...LIE, times: 2 }]);
  liar.tell({ on: 'poll', what: { kind: 'empty' } });
  const kinds = [1, 2, 3].map(() => liar.find(POLL, START)?.what.kind);
  expect(kinds).toEqual(['html', 'html', 'empty']);
  liar.stop();
  expect(liar.find(POLL, START)).toBeNull();
});
