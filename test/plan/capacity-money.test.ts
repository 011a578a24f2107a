import { describe, expect, it } from 'vitest';
import { inMinutes } from '../support/plan.ts';
import { answered, type Life, OTHER, refused, room } from '../support/room.ts';

describe('an account that may not spend', () => {
  it('is asked again by a small batch, at pauses that double from an hour to six', () => {
    const lives: Life[] = [];
    let at = 0;
    const pauses: number[] = [];
    for (let refusals = 0; refusals < 6; refusals += 1) {
      lives.push(refused(at, 'account'));
      const paused = room(lives, at + 1);
      if (paused.kind !== 'paused') throw new Error(`after ${refusals} refusals: ${paused.kind}`);
      expect(paused.about).toBe('account');
      const due = (Date.parse(paused.until) - Date.parse(inMinutes(0))) / 60_000;
      pauses.push(due - at);
      expect(room(lives, due)).toEqual({ kind: 'probe', why: `no room ${refusals + 1}`, isAsking: false });
      at = due;
    }
    expect(pauses).toEqual([60, 120, 240, 360, 360, 360]);
  });

  it('begins anew after an answer to something that was sent later', () => {
    const lives = [refused(0, 'account'), refused(60, 'account'), answered(180, 185)];
    expect(room(lives, 186)).toEqual({ kind: 'free' });
    expect(room([...lives, refused(200, 'account')], 201)).toMatchObject({ until: inMinutes(260) });
  });

  it('an answer to what was sent before says nothing about it', () => {
    const lives: Life[] = [answered(0, 90), refused(5, 'account')];
    expect(room(lives, 30)).toMatchObject({ kind: 'paused', until: inMinutes(65) });
    expect(room(lives, 100)).toMatchObject({ kind: 'probe' });
  });

  it('rows that were turned away for money count like a create', () => {
    const rows: Life = { from: 0, to: { at: 5, counts: { account: 50, ok: 50 } } };
    expect(room([rows], 10)).toMatchObject({ kind: 'paused', about: 'account', until: inMinutes(65) });
  });

  it('is the same for each job that it pays for', () => {
    expect(
      room([refused(0, 'account', { job: OTHER }), refused(60, 'account', { job: OTHER })], 61),
    ).toMatchObject({
      kind: 'paused',
      until: inMinutes(180),
    });
  });
});
