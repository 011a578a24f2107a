import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { type ACCOUNT, JOB } from '../support/journal.ts';
import { inMinutes } from '../support/plan.ts';
import { answered, DAY, every, HOUR, type Life, OTHER, refused, room, turnedAway } from '../support/room.ts';

/** What `PATIENT` has, in minutes. */
const CAPACITY = 15;

describe('an account that has no room', () => {
  it('pauses for a quarter of an hour, and then it is asked again as before', () => {
    expect(room([refused(10)], 20)).toEqual({
      kind: 'paused',
      about: 'capacity',
      until: inMinutes(10 + CAPACITY),
      why: 'no room 1',
    });
    expect(room([refused(10)], 25)).toEqual({ kind: 'free' });
  });

  it('pauses as long as the server asks', () => {
    const asked: Life = { from: 10, to: { refused: { about: 'capacity', retryAfterMs: 2_400_000 } } };
    expect(room([asked], 40)).toMatchObject({ kind: 'paused', until: inMinutes(50) });
  });

  it('another account is none of its business', () => {
    expect(room([refused(10, 'capacity', { account: 'openai/other' as typeof ACCOUNT })], 11)).toEqual({
      kind: 'free',
    });
  });

  it.each<[string, readonly Life[], number, 'stalled' | 'other']>([
    ['creates refused for a day', every(15, DAY, refused), DAY, 'stalled'],
    [
      'creates refused for a day, by a server that is not there',
      every(15, DAY, (at) => refused(at, 'network')),
      DAY,
      'stalled',
    ],
    ['creates refused for almost a day', every(15, DAY - 15, refused), DAY - 15, 'other'],
    [
      'rows turned away for a day, batch after batch',
      every(16, 26 * HOUR, turnedAway),
      26 * HOUR + 1,
      'stalled',
    ],
    // Of each sixteen minutes one is in flight.
    ['rows turned away for a day, with the flights', every(16, DAY, turnedAway), DAY + 1, 'other'],
    ['two refusals a day apart', [refused(0), refused(DAY)], DAY, 'stalled'],
    ['one refusal, and a reconciler that was off for days', [refused(0)], 5 * DAY, 'other'],
    [
      'an answer in between',
      [
        ...every(15, 20 * HOUR, refused),
        answered(20 * HOUR + 5, 20 * HOUR + 10),
        ...every(15, DAY + HOUR, refused, 20 * HOUR + 15),
      ],
      DAY + HOUR,
      'other',
    ],
    [
      'a day after that answer',
      [
        ...every(15, 20 * HOUR, refused),
        answered(20 * HOUR + 5, 20 * HOUR + 10),
        ...every(15, 45 * HOUR, refused, 20 * HOUR + 15),
      ],
      45 * HOUR,
      'stalled',
    ],
    [
      'rows of which one is always answered',
      every(20, 3 * DAY, (from) => ({ from, to: { at: from + 1, counts: { rate_or_capacity: 99, ok: 1 } } })),
      3 * DAY,
      'other',
    ],
    [
      'an error of the server is an answer: it has let the row in',
      [
        ...every(15, 20 * HOUR, refused),
        { from: 20 * HOUR + 1, to: { at: 20 * HOUR + 2, counts: { provider_error: 1 } } },
        ...every(15, DAY + HOUR, refused, 20 * HOUR + 15),
      ],
      DAY + HOUR,
      'other',
    ],
    [
      'a refusal of the request is none for room',
      every(15, DAY, (at) => refused(at, 'request')),
      DAY,
      'other',
    ],
  ])('%s', (_name, lives, minutes, expected) => {
    const { kind } = room(lives, minutes);
    expect(kind === 'stalled' ? 'stalled' : 'other').toBe(expected);
  });

  it.each<[string, readonly Life[], number]>([
    [
      'its own batch of a slow window is in flight',
      [{ from: 0, to: null }, ...every(15, 3 * DAY, refused, 5)],
      3 * DAY,
    ],
    [
      'it comes back without room after all',
      [{ from: 0, to: { at: DAY, counts: { rate_or_capacity: 100 } } }, ...every(60, 40 * HOUR, refused, 10)],
      40 * HOUR,
    ],
    [
      'another job of ours is in flight before it',
      [{ from: 0, to: null, job: OTHER }, ...every(15, 3 * DAY, refused, 5)],
      3 * DAY,
    ],
    [
      'other jobs take turns',
      [
        ...every(HOUR, 3 * DAY, (from) => answered(from, from + HOUR, { job: OTHER })),
        ...every(15, 3 * DAY, refused, 5),
      ],
      3 * DAY,
    ],
  ])('the clock stands still while %s', (_name, lives, minutes) => {
    expect(room(lives, minutes).kind).not.toBe('stalled');
  });

  it('a job of another account does not stop the clock', () => {
    const elsewhere: Life = { from: 0, to: null, job: OTHER, account: 'openai/other' as typeof ACCOUNT };
    expect(room([elsewhere, ...every(15, DAY, refused)], DAY).kind).toBe('stalled');
  });

  it('another job that is turned away too does not stop the clock', () => {
    const both = every(30, 25 * HOUR, refused).concat(
      every(30, 25 * HOUR, (at) => refused(at, 'capacity', { job: OTHER }), 1),
    );
    expect(room(both, 25 * HOUR).kind).toBe('stalled');
  });

  it('is asked again at pauses that double up to six hours', () => {
    const lives: Life[] = every(15, DAY, refused);
    let last = DAY;
    const pauses: number[] = [];
    for (let probes = 0; probes < 7; probes += 1) {
      const stalled = room(lives, last);
      if (stalled.kind !== 'stalled') throw new Error(`after ${probes} probes: ${stalled.kind}`);
      expect(stalled).toMatchObject({ since: inMinutes(0), isDue: false });
      const due = (Date.parse(stalled.until) - Date.parse(inMinutes(0))) / 60_000;
      pauses.push(due - last);
      expect(room(lives, due)).toMatchObject({ kind: 'stalled', isDue: true });
      lives.push(refused(due));
      last = due;
    }
    expect(pauses).toEqual([30, 60, 120, 240, 360, 360, 360]);
  });

  it('asks once at a time', () => {
    const asking: Life = { from: DAY + 30, to: null };
    const before: Life = { from: DAY + 1, to: null };
    expect(room(every(15, DAY, refused), DAY + 40)).toMatchObject({ isDue: true, isAsking: false });
    expect(room([...every(15, DAY, refused), asking], DAY + 40)).toMatchObject({
      kind: 'stalled',
      isAsking: true,
    });
    expect(room([...every(15, 25 * HOUR, refused), before], 26 * HOUR)).toMatchObject({ isAsking: false });
    const money = [refused(0, 'account')];
    expect(room([...money, { from: 60, to: null }], 61)).toMatchObject({ kind: 'probe', isAsking: true });
    expect(room([{ from: -1, to: null }, ...money], 61)).toMatchObject({ kind: 'probe', isAsking: false });
  });

  it('goes on as ever once something is answered', () => {
    expect(room([...every(15, DAY, refused), answered(DAY + 30, DAY + 31)], DAY + 31)).toEqual({
      kind: 'free',
    });
  });

  it('a person who asks for another round has it asked at once', () => {
    const retry: JournalEvent = { type: 'retry.asked', job: JOB.name, run: 1, classes: ['account'], by: 'x' };
    expect(room(every(15, DAY, refused), DAY + 2, [[DAY + 1, [retry]]])).toEqual({ kind: 'free' });
    expect(room([refused(0, 'account')], 2, [[1, [retry]]])).toEqual({ kind: 'free' });
  });
});

it('five batches under way when the money ends are one refusal, and the account is asked an hour later', () => {
  const lives = [0, 1, 2, 3, 4].map((from) => ({ from, to: { at: 60 + from, counts: { account: 100 } } }));
  expect(room(lives, 70)).toMatchObject({ kind: 'paused', about: 'account', until: inMinutes(64 + HOUR) });
});

it('a due probe waits for as long as the account has just asked another job to wait', () => {
  const own = every(15, DAY + HOUR, (from) => refused(from));
  const before = room(own, DAY + 8 * HOUR);
  expect(before).toMatchObject({ kind: 'stalled', isDue: true });
  const other = {
    from: DAY + 8 * HOUR - 1,
    job: OTHER,
    to: { refused: { about: 'capacity' as const, retryAfterMs: 3 * 3_600_000 } },
  };
  const now = room([...own, other], DAY + 8 * HOUR);
  expect(now.kind === 'paused' || (now.kind === 'stalled' && !now.isDue)).toBe(true);
});
