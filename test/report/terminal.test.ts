import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { columns, displayWidth, shortened } from '../../runner/report/columns.ts';
import { rehearsalSummary } from '../../runner/report/rehearsal.ts';
import {
  changedLines,
  fleetSummary,
  jobTerminal,
  progressLines,
  statusTerminal,
} from '../../runner/report/terminal.ts';
import {
  at,
  canaryReport,
  completeReport,
  emulatorReport,
  fleetReport,
  plannedReport,
  stalledReport,
  underWayReport,
} from '../support/report-values.ts';

const plainly = { color: false };
const FEW = [completeReport(), underWayReport(), canaryReport(), stalledReport(), plannedReport()];
const REHEARSED = { jobs: [emulatorReport()], broken: [] };
const PAGES = [{ job: 'dependency-review', path: 'rehearsal/state/dependency-review/README.md' }];

const SHOWN = {
  status: statusTerminal({ jobs: FEW, broken: fleetReport(1).broken }, plainly),
  'fleet-summary': fleetSummary(fleetReport(60), plainly),
  job: jobTerminal(completeReport(), plainly),
  'job-emulator': jobTerminal(emulatorReport(), plainly),
  progress: lines(progressLines(FEW, { ...plainly, width: 110, now: at(200) })),
  'progress-log': lines(progressLines(FEW, { ...plainly, width: 110 })),
  rehearsal: rehearsalSummary(REHEARSED, { ...plainly, reports: PAGES, nothingToDo: false }),
  'rehearsal-again': rehearsalSummary(REHEARSED, { ...plainly, reports: PAGES, nothingToDo: true }),
};

function lines(of: readonly string[]): string {
  return `${of.join('\n')}\n`;
}

test.each(Object.entries(SHOWN))('%s', async (name, text) => {
  await expect(text).toMatchFileSnapshot(`../fixtures/report/terminal-${name}.txt`);
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
  expect(displayWidth('e\u0301😀')).toBe(3);
});
