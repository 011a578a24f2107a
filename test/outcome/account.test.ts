import { expect, test } from 'vitest';
import { addUsage, count, NO_USAGE, newTally, summaryOf } from '../../runner/outcome/account.ts';
import { type Classified, classify, MISSING } from '../../runner/outcome/classify.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';

const LINES = { own: 5, foreign: 3, unparsed: 1 };

const USAGE = {
  inputTokens: 100,
  outputTokens: 10,
  cachedTokens: 5,
  cacheWriteTokens: 0,
  reasoningTokens: 2,
};

function row(of: OutcomeClass, changes: Partial<Classified> = {}): Classified {
  return { ...MISSING, class: of, cause: 'c', ...changes };
}

function summary(...rows: Classified[]) {
  const tally = newTally();
  for (const each of rows) count(tally, each);
  return { ...summaryOf(tally, LINES), wasted: tally.wasted };
}

test('B094: each row counts once, under its class', () => {
  const rows = [
    row('ok', { usage: USAGE }),
    row('ok', { usage: USAGE }),
    row('truncated', { usage: USAGE }),
    row('expired'),
  ];
  expect(summary(...rows)).toMatchObject({
    counts: { ok: 2, truncated: 1, expired: 1 },
    usage: { inputTokens: 300, outputTokens: 30, cachedTokens: 15, cacheWriteTokens: 0, reasoningTokens: 6 },
    wasted: USAGE,
    withoutUsage: 0,
    lines: LINES,
  });
});

test('B063: what may have been billed and nobody knows is counted, not taken for free', () => {
  const unknown: OutcomeClass[] = [
    'ok',
    'invalid_output',
    'truncated',
    'unknown_stop',
    'missing',
    'unreadable',
    'lost',
    'conflict',
  ];
  expect(summary(...unknown.map((of) => row(of))).withoutUsage).toBe(8);
  const free: OutcomeClass[] = [
    'provider_error',
    'invalid_request',
    'rate_or_capacity',
    'account',
    'expired',
    'cancelled',
    'refused',
  ];
  expect(summary(...free.map((of) => row(of))).withoutUsage).toBe(0);
});

test('an answer that came to nothing was worked for, and without usage its cost is unknown', () => {
  const answer = { kind: 'answer', texts: ['x'], servedModel: null, responseId: null, usage: null } as const;
  const rules = { outputKind: 'text', check: null } as const;
  for (const stop of ['filter', 'context_window', 'language', 'unknown', 'token_cap', 'tool'] as const) {
    const result = { ...answer, refusal: null, stop, providerReason: stop };
    expect(summary(classify({ wireId: 'x', result }, rules)).withoutUsage, stop).toBe(1);
  }
  const refused = { ...answer, refusal: 'No.', stop: 'complete', providerReason: 'stop' } as const;
  expect(summary(classify({ wireId: 'x', result: refused }, rules)).withoutUsage).toBe(1);
});

test('B074: served models are counted by name; whoever answered without one is unknown', () => {
  const rows = [
    row('ok', { servedModel: 'm-1' }),
    row('truncated', { servedModel: 'm-2' }),
    row('ok'),
    row('expired'),
    row('refused', { servedModel: '__proto__' }),
  ];
  expect(Object.entries(summary(...rows).models)).toEqual([
    ['m-1', 1],
    ['m-2', 1],
    ['unknown', 1],
    ['__proto__', 1],
  ]);
});

test('adding nothing changes nothing', () => {
  expect(addUsage(USAGE, null)).toBe(USAGE);
  expect(addUsage(NO_USAGE, USAGE)).toEqual(USAGE);
});
