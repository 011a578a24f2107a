import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fleetMarkdown, jobMarkdown, runMarkdown } from '../../runner/report/markdown.ts';
import { jobTerminal, progressLines, statusTerminal } from '../../runner/report/terminal.ts';
import { HOSTILE_TEXTS, withHostile } from '../support/hostile.ts';
import { cellCounts, outsideCode, tablesOf } from '../support/markdown-scan.ts';
import {
  at,
  completeReport,
  emulatorReport,
  failedCanaryReport,
  plannedReport,
  stalledReport,
  underWayReport,
} from '../support/report-values.ts';

const REPORTS = [
  completeReport(),
  underWayReport(),
  stalledReport(),
  failedCanaryReport(),
  emulatorReport(),
  plannedReport(),
];

/** Markup that is ours: folded sections and links to files beside the page. */
const OUR_MARKUP =
  /<\/?details>|<\/?summary>|\[[^\]\n]*\]\((?:held\.csv|runs\/\d+\/report\.md|[a-z0-9-]+\/README\.md)\)/g;

/** What acts without being seen; line ends and the two joiners are not meant. */
const UNSEEN = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const ACTIVE: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['HTML', /<(?!\s)/],
  ['a mention or mail address', /@/],
  ['an issue number', /#\d|(?<![A-Za-z0-9])GH-\d/],
  ['a link or image', /(?<!\\)(?:\]\(|!\[|\]\[|\]:)/],
  ['an address', /:\/\/|www\./],
  ['an emoji name', /:[a-z]+:/],
  ['a workflow command', /::|##\[/],
  ['a stray backtick', /`/],
  ['an entity that is not ours', /&(?!amp;|lt;)/],
];

function expectHarmless(page: string): void {
  const text = outsideCode(page).replace(OUR_MARKUP, '');
  for (const [name, pattern] of ACTIVE) expect(pattern.exec(text)?.[0], name).toBeUndefined();
  expect(UNSEEN.exec(page)?.[0]).toBeUndefined();
  expect(page.isWellFormed()).toBe(true);
  for (const [head = '', ...lines] of tablesOf(page)) {
    const counts = cellCounts(head);
    for (const line of lines) expect(cellCounts(line), line).toEqual(counts);
  }
}

function pagesOf(text: () => string): string[] {
  const reports = REPORTS.map((report) => withHostile(report, text));
  return [
    ...reports.map(jobMarkdown),
    ...reports.map(runMarkdown),
    fleetMarkdown({ jobs: reports, broken: [{ file: text(), message: text() }] }),
  ];
}

const piece = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS.slice(0, -1)),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
);
const mixture = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));

describe('Markdown', () => {
  test.each(HOSTILE_TEXTS)('in every field: %j', (text) => {
    for (const page of pagesOf(() => text)) expectHarmless(page);
  });

  test('any mixture of them, and any text', () => {
    fc.assert(
      fc.property(fc.array(mixture, { minLength: 1, maxLength: 9 }), (texts) => {
        let next = 0;
        for (const page of pagesOf(() => texts[next++ % texts.length] ?? '')) expectHarmless(page);
      }),
      { numRuns: 60 },
    );
  });
});

describe('terminal', () => {
  test.each(HOSTILE_TEXTS)('in every field: %j', (text) => {
    const reports = REPORTS.map((report) => withHostile(report, () => text));
    const fleet = { jobs: reports, broken: [{ file: text, message: text }] };
    const shown = [
      statusTerminal(fleet, { color: false }),
      ...reports.map((report) => jobTerminal(report, { color: false })),
      ...progressLines(reports, { color: false, width: 90, now: at(60) }),
    ].join('\n');
    expect(UNSEEN.exec(shown)?.[0]).toBeUndefined();
    expect(shown).not.toMatch(/^\s*::|##\[/m);
  });
});
