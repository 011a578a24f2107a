import { describe, expect, it } from 'vitest';
import { COMMENT_MARK, NO_CHANGES, planComment } from '../../runner/report/plan-comment.ts';
import { HOSTILE_TEXTS, withHostile } from '../support/hostile.ts';
import { newRunAction, newRunView, planView, rest } from '../support/plan-values.ts';

const RUN = newRunView();
const VIEW = planView({
  plan: { actions: [newRunAction(RUN, 'new job')], rests: [rest('crm', 'blocked', 'over budget')] },
  newRuns: [RUN],
});

describe('the plan as a comment', () => {
  it('has the mark by which it is found again, and the plan in a fence', () => {
    const lines = planComment(VIEW, '').trimEnd().split('\n');
    expect(lines.slice(0, 4)).toEqual([COMMENT_MARK, '### Batchwright', '', '~~~text']);
    expect(lines[4]).toMatch(/^Plan: 1 new run, 1 blocked/);
    expect(lines.at(-1)).toBe('~~~');
  });

  it('says where there is nothing to say, unless a file has a problem', () => {
    const nothing = planView({ plan: { actions: [], rests: [] }, newRuns: [], sends: [], inPlace: [] });
    expect(planComment(nothing, '')).toContain(`${COMMENT_MARK}\n${NO_CHANGES}\n`);
    const problem = planComment(nothing, 'jobs/a.yaml:3:1 error[unknown-field]');
    expect(problem).not.toContain(NO_CHANGES);
    expect(problem).toContain('jobs/a.yaml:3:1 error[unknown-field]');
  });

  it('stays under the limit of a comment, and says what is missing', () => {
    const samples = RUN.samples.map((sample) => ({ ...sample, key: 'k'.repeat(900) }));
    const many = Array.from({ length: 500 }, () => rest('crm', 'blocked', 'over budget '.repeat(20)));
    const text = planComment(
      planView({ ...VIEW, newRuns: [{ ...RUN, samples }], plan: { ...VIEW.plan, rests: many } }),
      '',
    );
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/… \d+ more lines in the log of the run\n~~~\n$/);
  });

  it.each(HOSTILE_TEXTS)('nothing gets out of the fence: %j', (hostile) => {
    const text = planComment(
      withHostile(VIEW, () => `${hostile}\n~~~\n${hostile}`),
      `${hostile}\n~~~~\n${hostile}`,
    );
    const [, fence = '', inside = ''] = /^(~+)text\n([\s\S]*)\n\1\n$/m.exec(text) ?? [];
    expect(fence).not.toBe('');
    expect(
      inside.split('\n').filter((line) => /^ {0,3}~+\s*$/.test(line) && line.trim().length >= fence.length),
    ).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]|^::/m);
  });
});
