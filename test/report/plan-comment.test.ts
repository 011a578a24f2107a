import { describe, expect, it } from 'vitest';
import { COMMENT_MARK, NO_CHANGES, planComment } from '../../runner/report/plan-comment.ts';
import { hunks, textDiff } from '../../runner/report/text-diff.ts';
import { HOSTILE_TEXTS, withHostile } from '../support/hostile.ts';
import { cellCounts, outsideCode, tablesOf } from '../support/markdown-scan.ts';
import { newRunAction, newRunView, planView, rest } from '../support/plan-values.ts';

const RUN = newRunView();
const EARLIER = {
  system: 'You sort support tickets.\nChoose billing, technical or account.',
  user: RUN.samples[1]?.messages.user ?? '',
};
const FOLLOWING = newRunView({
  before: {
    run: 6,
    spentUsd: 26.9,
    reservedUsd: 1.2,
    inFlight: 120,
    sent: { [RUN.samples[1]?.key ?? '']: EARLIER },
  },
});
const VIEW = planView({
  plan: {
    actions: [newRunAction(FOLLOWING, 'prompt changed')],
    rests: [
      rest('crm', 'blocked', 'the run may cost up to $40.00', 'run `batchwright approve crm`'),
      rest('faq', 'idle', 'done'),
    ],
  },
  newRuns: [FOLLOWING],
  inPlace: [{ job: 'faq' as never, change: 'priority: normal → high' }],
  toApprove: [
    { job: 'crm' as never, file: 'approvals/crm.yaml', text: 'job: crm\ngeneration: 3\nceiling_usd: 40\n' },
  ],
});

describe('the plan as a comment', () => {
  it('has the mark by which it is found again, and what a reviewer wants to know in order', async () => {
    const text = await planComment(VIEW, '');
    expect(text.startsWith(`${COMMENT_MARK}\n\n### Plan: 1 new run, 1 in place, 1 blocked`)).toBe(true);
    const order = [
      '**Blocked**',
      'To approve: add approvals/crm.yaml',
      'ceiling_usd: 40',
      '| job | action | because |',
      '`ticket-labels` | new run 7 | prompt changed | 90,100 | $24.43 → $29.70 | support-platform $184.22 → $213.92 of $500',
      '`faq` | in place | priority: normal → high | 0 | $0',
      'row `TK-2026-0003912`, against run 6',
      '-Choose billing, technical or account.\n+Choose billing, technical or account. A login problem is account.',
      '**Data** sends `subject`, `body`; holds back `email`',
      '**Already spent** run 6: $26.90; 120 requests in flight',
      '1 job without a change',
      'journal 61',
    ];
    const places = order.map((each) => text.indexOf(each));
    expect(places.map((place, at) => (place < 0 ? order[at] : null)).filter(Boolean)).toEqual([]);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('shows the median request where there is no run to compare with', async () => {
    const first = newRunView({ before: null });
    const text = await planComment(
      planView({ plan: { actions: [newRunAction(first, 'new job')], rests: [] }, newRuns: [first] }),
      '',
    );
    expect(text).toContain('row `TK-2026-0003912`\n\n~~~text\nYou sort support tickets.');
    expect(text).not.toContain('Already spent');
  });

  it('says where there is nothing to say, unless a file has a problem', async () => {
    const nothing = planView({ plan: { actions: [], rests: [] }, newRuns: [], sends: [], inPlace: [] });
    expect(await planComment(nothing, '')).toContain(`${COMMENT_MARK}\n${NO_CHANGES}\n`);
    const problem = await planComment(nothing, 'jobs/a.yaml:3:1 error[unknown-field]');
    expect(problem).not.toContain(NO_CHANGES);
    expect(problem).toContain('~~~text\njobs/a.yaml:3:1 error[unknown-field]');
  });

  it('stays under the limit of a comment: what is most important stays, and the rest is said to be left out', async () => {
    const long = newRunView({
      samples: RUN.samples.map((sample) => ({
        ...sample,
        messages: { system: null, user: `${'word '.repeat(60)}\n`.repeat(400) },
      })),
      before: null,
    });
    const runs = Array.from({ length: 400 }, (_, n) => ({ ...long, job: `job-${n}` as never }));
    const text = await planComment(
      planView({
        plan: { actions: runs.map((run) => newRunAction(run, 'new job')), rests: [] },
        newRuns: runs,
      }),
      '',
    );
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain('### Plan: 400 new runs');
    expect(text).toContain('`job-399` | new run 7');
    expect(text).toMatch(/_\d+ more sections stand in the log of the run\._\n$/);
  });
});

/** Closed by a line of as many tildes: what is inside is text. */
const FENCES = /^(~{3,})(?:text|diff|yaml)\n[\s\S]*?\n\1$/gm;
/** Markup that is ours. */
const OURS = /<\/?details>|<\/?summary>|<\/?sub>|<!-- batchwright plan -->/g;

describe.each(HOSTILE_TEXTS)('nothing acts in a comment with %j', (hostile) => {
  it('in jobs, keys, prompts, reasons, columns and problems', async () => {
    const text = await planComment(
      withHostile(VIEW, () => `${hostile}\n~~~\n${hostile}`),
      `${hostile}\n~~~~\n${hostile}`,
    );
    const outside = outsideCode(text.replace(FENCES, '')).replace(OURS, '');
    for (const pattern of [/<(?!\s)/, /@/, /(?<!\\)(?:\]\(|!\[|\]\[|\]:)/, /:\/\/|www\./, /^::|##\[/m])
      expect(pattern.exec(outside)?.[0]).toBeUndefined();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]|^::/m);
    for (const [head = '', ...lines] of tablesOf(text.replace(FENCES, ''))) {
      const counts = cellCounts(head);
      for (const line of lines) expect(cellCounts(line), line).toEqual(counts);
    }
  });
});

describe('a difference of two texts', () => {
  it('has the changed lines with two same ones round them', async () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].join('\n');
    const after = ['a', 'b', 'c', 'D', 'e', 'f', 'g'].join('\n');
    const shown = hunks(await textDiff(before, after)).map((line) =>
      line === null ? '…' : `${line.kind} ${line.text}`,
    );
    expect(shown).toEqual(['same b', 'same c', 'gone d', 'new D', 'same e', 'same f', '…']);
  });

  it('is none where only the line ends differ', async () => {
    expect((await textDiff('a\r\nb\r\n', 'a\nb')).every(({ kind }) => kind === 'same')).toBe(true);
  });
});
