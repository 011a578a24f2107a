import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { jobName } from '../../runner/ids.ts';
import { columns, displayWidth, shortened } from '../../runner/report/columns.ts';
import { rehearsalSummary } from '../../runner/report/rehearsal.ts';
import type { JobReport } from '../../runner/report/report.ts';
import {
  changedLines,
  fleetSummary,
  jobTerminal,
  progressLines,
  statusTerminal,
} from '../../runner/report/terminal.ts';
import { rest } from '../support/plan-values.ts';
import {
  at,
  canaryReport,
  completeReport,
  emulatorReport,
  failedCanaryReport,
  fleetReport,
  plannedReport,
  stalledReport,
  underWayReport,
} from '../support/report-values.ts';

const plainly = { color: false };
const FEW = [completeReport(), underWayReport(), canaryReport(), stalledReport(), plannedReport()];
const REHEARSED = { jobs: [emulatorReport()], broken: [] };
const PAGES = [
  {
    job: 'dependency-review',
    path: 'rehearsal/state/dependency-review/README.md',
    sinks: ['rehearsal/out/dependency-review.parquet'],
  },
];

const ENDED = {
  ...plainly,
  reports: PAGES,
  rests: [rest('dependency-review', 'idle', 'run 1 is finished')],
  done: 4,
  command: 'batchwright rehearse',
  interrupted: false,
};

const SHOWN = {
  status: statusTerminal({ jobs: FEW, broken: fleetReport(1).broken }, plainly),
  'fleet-summary': fleetSummary(fleetReport(60), plainly),
  job: jobTerminal(completeReport(), plainly),
  'job-failed-canary': jobTerminal(failedCanaryReport(), plainly),
  'status-failed-canary': statusTerminal({ jobs: [failedCanaryReport()], broken: [] }, plainly),
  'job-emulator': jobTerminal(emulatorReport(), plainly),
  progress: lines(progressLines(FEW, { ...plainly, width: 110, now: at(200) })),
  'progress-log': lines(progressLines(FEW, { ...plainly, width: 110 })),
  rehearsal: rehearsalSummary(REHEARSED, ENDED),
  'rehearsal-again': rehearsalSummary(REHEARSED, { ...ENDED, done: 0 }),
};

function lines(of: readonly string[]): string {
  return `${of.join('\n')}\n`;
}

test.each(Object.entries(SHOWN))('%s', async (name, text) => {
  await expect(text).toMatchFileSnapshot(`../fixtures/report/terminal-${name}.txt`);
});

describe('the end of a rehearsal', () => {
  const blocked = { ...plannedReport(), job: jobName('blocked') };
  const fleet = { jobs: [emulatorReport(), blocked], broken: [] };
  const rests = [...ENDED.rests, rest('blocked', 'blocked', 'over $20')];

  test('what is held back is neither done nor nothing to do', () => {
    const [first] = rehearsalSummary(fleet, { ...ENDED, rests }).split('\n');
    expect(first).toBe(
      '1 job rehearsed, 112 answers applied; the real work would cost $0.023; 1 job not finished, see below.',
    );
    const again = rehearsalSummary({ ...fleet, jobs: [blocked] }, { ...ENDED, rests, done: 0 });
    expect(again.split('\n')[0]).toBe('No job is finished; see below why.');
    expect(again).not.toContain('as git asks');
    expect(again).not.toContain('--fresh');
  });

  test('files that cannot be read are not as git asks for', () => {
    const { broken } = fleetReport(1);
    const [first] = rehearsalSummary({ ...REHEARSED, broken }, { ...ENDED, done: 0 }).split('\n');
    expect(first).toBe('Nothing to do for the jobs that can be read; see below for the others.');
  });

  test('an interruption says that nothing is lost, and how to go on', () => {
    const text = rehearsalSummary(fleet, {
      ...ENDED,
      rests,
      interrupted: true,
      command: 'batchwright rehearse blocked',
    });
    expect(text.split('\n')[0]).toBe(
      'Interrupted. No batch was cancelled and nothing is lost; the same command goes on: batchwright rehearse blocked',
    );
  });

  test('without an answer there is nothing to look at', () => {
    expect(rehearsalSummary(REHEARSED, ENDED)).toContain('batchwright results dependency-review --rehearsal');
    expect(rehearsalSummary({ ...fleet, jobs: [blocked] }, ENDED)).not.toContain('results');
  });
});

describe('waits', () => {
  const linesOf = (report: JobReport) =>
    statusTerminal({ jobs: [report], broken: [] }, plainly)
      .split('\n')
      .slice(0, 2);
  const waits = (waitsFor: string, command: string | null = null) => [
    { what: 'ticket-labels', waitsFor, until: null, command },
  ];

  test.each<readonly [string, JobReport, string]>([
    ['the canary', { ...canaryReport(), waits: waits('its canary of 10') }, '  waits: its canary of 10'],
    [
      'a suspension',
      {
        ...plannedReport(),
        phase: 'suspended',
        conditions: [],
        waits: waits('legal has to agree', 'remove `suspend`'),
      },
      '  legal has to agree → remove `suspend`',
    ],
    [
      'a gate',
      { ...plannedReport(), waits: waits('the run may cost up to $30', 'make it smaller') },
      '  held back: the run may cost up to $30 → make it smaller',
    ],
    [
      'a job that no pass has seen',
      { ...plannedReport(), phase: 'planned', conditions: [], waits: [] },
      '  no pass has taken it up yet',
    ],
  ])('%s', (_name, report, line) => expect(linesOf(report)[1]).toBe(line));

  test('a job that was never sent is not quiet', () => {
    const unsent = { ...plannedReport(), phase: 'planned' as const, conditions: [], waits: [] };
    const text = statusTerminal({ jobs: [unsent], broken: [] }, plainly);
    expect(text).toMatch(/^ticket-labels {2}planned +not sent yet\n/);
    expect(text).toContain('1 job · none needs a person · 0 under way · 1 not sent yet · 0 quiet');
  });
});

describe('progress', () => {
  test('stays within the width and within a screen, with 200 shards and with 200 jobs', () => {
    const many = Array.from({ length: 200 }, () => underWayReport());
    expect(progressLines([underWayReport()], { color: false, width: 80, now: at(60) }).length).toBeLessThan(
      20,
    );
    for (const reports of [[underWayReport()], many]) {
      const shown = progressLines(reports, { color: false, width: 80, now: at(60) });
      expect(Math.max(...shown.map(displayWidth))).toBeLessThanOrEqual(80);
    }
    expect(progressLines(many, { color: false, width: 80, now: at(60) })).toHaveLength(200);
  });

  test('in a log only what has changed is written', () => {
    const before = progressLines([canaryReport()], { color: false, width: 80 });
    const report = canaryReport();
    const run = report.run;
    if (run === null) throw new Error('a canary report has a run');
    const shards = run.shards.map((shard) => ({ ...shard, done: 7 }));
    const after = progressLines([{ ...report, run: { ...run, shards } }], { color: false, width: 80 });
    expect(changedLines(before, before)).toEqual([]);
    expect(changedLines(before, after)).toEqual([
      'ticket-labels run 1: canary · 7 of 10 sent rows answered (70.0 %)',
      'ticket-labels: shard 1 canary running, 7 of 10 answered',
    ]);
  });

  test('nothing under way, nothing to show', () => {
    expect(progressLines([completeReport(), plannedReport()], { color: false, width: 80 })).toEqual([]);
  });
});

test('colour changes nothing but colour', () => {
  const fleet = { jobs: FEW, broken: [] };
  expect(statusTerminal(fleet, { color: true })).not.toBe(statusTerminal(fleet, plainly));
  expect(stripVTControlCharacters(statusTerminal(fleet, { color: true }))).toBe(
    statusTerminal(fleet, plainly),
  );
});

test('columns align wide characters and do not end in blanks', () => {
  expect(
    columns(
      [
        ['中文', '1', 'x'],
        ['a', '100', ''],
      ],
      ['left', 'right'],
    ),
  ).toEqual(['中文    1  x', 'a     100']);
  expect(shortened('中文中文', 5)).toBe('中文…');
});

test.each([
  ['e\u0301', 1],
  ['😀', 2],
  ['👨‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['👍🏽', 2],
  ['中文', 4],
  ['한', 2],
  ['\u1112\u1161\u11ab', 2],
  ['zero\u200bwidth', 9],
  ['\u001b[31mred\u001b[0m', 3],
])('%j is %i wide', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('a cut never goes through a flag', () => {
  expect(shortened('🇩🇪🇩🇪🇩🇪', 4)).toBe('🇩🇪…');
});
