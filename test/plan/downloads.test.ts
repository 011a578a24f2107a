import { describe, expect, test } from 'vitest';
import type { Instant } from '../../runner/ids.ts';
import type { IntentState } from '../../runner/journal/state.ts';
import { awaitsResults, isDeleted, nextDownload, resultsKeptUntil } from '../../runner/plan/downloads.ts';
import { PROFILES } from '../../runner/spec/profiles.ts';
import { START } from '../support/journal.ts';
import { lookAt, QUARTER_MS, quarter, settledIntent } from '../support/unreadable.ts';

const HOURS = 4;

function unreadable(changes: Partial<IntentState> = {}): IntentState {
  return settledIntent({ collections: [lookAt(0)], ...changes }, { counts: { ok: 99, unreadable: 1 } });
}

/** Every look until the end, in quarters of an hour after the first. */
function looksUntilTheEnd(profile: (typeof PROFILES)['openai']): number[] {
  const looks = [0];
  for (let tries = 0; tries < 1000; tries += 1) {
    const collections = looks.map((n) => lookAt(n));
    const next = nextDownload(unreadable({ collections }), profile, QUARTER_MS);
    if (next === null) throw new Error('nothing is awaited');
    const at = (Date.parse(next) - Date.parse(START)) / QUARTER_MS;
    looks.push(at);
    if (next >= resultsKeptUntil(unreadable({ collections }), profile)) return looks;
  }
  throw new Error('it never ends');
}

describe('when results are downloaded again', () => {
  test('a quarter of an hour, an hour, then every six hours, and once more when they are deleted', () => {
    const looks = looksUntilTheEnd(PROFILES.openai);
    expect(looks.slice(0, 6)).toEqual([0, 1, 4, 28, 52, 76]);
    expect(looks.at(-1)).toBe(30 * 24 * HOURS);
    expect(looks).toHaveLength(3 + 120);
  });

  test.each(['openai', 'anthropic', 'gemini'] as const)(
    'at least four times in the last quarter of the time for which %s keeps them',
    (kind) => {
      const looks = looksUntilTheEnd(PROFILES[kind]);
      const kept = PROFILES[kind].resultsKeptMs / QUARTER_MS;
      const end = looks.at(-1) ?? 0;
      expect(looks.filter((at) => at > end - kept / 4 && at < end).length).toBeGreaterThanOrEqual(3);
      expect(looks.filter((at) => at >= end - kept / 4).length).toBeGreaterThanOrEqual(5);
    },
  );

  test('a pass that comes late looks at once, and counts from there', () => {
    const late = unreadable({ collections: [lookAt(0), lookAt(100)] });
    expect(nextDownload(late, PROFILES.openai, QUARTER_MS)).toBe(quarter(124));
  });

  test.each<[string, Partial<IntentState>]>([
    ['nothing is settled', { settled: null }],
    ['its results are lost', { resultsLost: { why: 'deleted', at: START } }],
    ['a person has given it up', { lost: { by: 'ann', at: START } }],
    ['it was asked row by row', { via: 'live' }],
  ])('never, where %s', (_title, changes) => {
    expect(awaitsResults(unreadable(changes))).toBe(false);
    expect(nextDownload(unreadable(changes), PROFILES.openai, QUARTER_MS)).toBeNull();
  });

  test('never, where every row was read', () => {
    expect(nextDownload(settledIntent(), PROFILES.openai, QUARTER_MS)).toBeNull();
  });
});

describe('a file that the provider says it does not have', () => {
  const gone = (n: number) => lookAt(n, { files: [], gone: ['output'] });
  const DAY = 24 * HOURS;
  test.each<[string, readonly ReturnType<typeof lookAt>[], Instant, boolean]>([
    ['once', [gone(0)], quarter(0), false],
    ['for less than a day', [gone(0), gone(DAY - 1)], quarter(DAY - 1), false],
    ['for a day', [gone(0), gone(4), gone(DAY)], quarter(DAY), true],
    ['for a day after it was there', [lookAt(0), gone(1), gone(DAY + 1)], quarter(DAY + 1), true],
    ['on two days, and had it in between', [gone(0), lookAt(4), gone(DAY)], quarter(DAY), false],
    ['never', [lookAt(0), lookAt(DAY)], quarter(DAY), false],
  ])('%s', (_title, collections, now, expected) => {
    expect(isDeleted(unreadable({ collections }), now, QUARTER_MS)).toBe(expected);
  });
});
