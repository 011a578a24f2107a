import { expect, it } from 'vitest';
import { commitMessage } from '../../runner/publish/message.ts';
import { completeReport, plannedReport } from '../support/report-values.ts';

it('says in its first line what happened to one job', () => {
  const message = commitMessage({ jobs: [completeReport()], schedule: false }, { jobs: [] });
  expect(message.split('\n', 1)[0]).toMatch(
    /^batchwright: ticket-labels complete( with failures)?, 99,412 applied, 588 held or failed, \$28\.18$/,
  );
  expect(message).toContain('\n[skip ci]\n');
});

it('counts several jobs, and lists them below', () => {
  const message = commitMessage({ jobs: [completeReport(), plannedReport()], schedule: false }, { jobs: [] });
  expect(message.split('\n', 1)[0]).toBe('batchwright: 2 jobs changed');
  expect(message.match(/^- /gm)).toHaveLength(2);
});

it('is short where only the schedule has news', () => {
  const nothing = { jobs: [], schedule: true };
  expect(commitMessage(nothing, { jobs: [completeReport()] })).toMatch(
    /^batchwright: up to date: ticket-labels complete.* applied.*\n\n\[skip ci\]\n$/,
  );
  expect(commitMessage(nothing, { jobs: [completeReport(), completeReport()] })).toBe(
    'batchwright: up to date: 2 jobs\n\n[skip ci]\n',
  );
  expect(commitMessage(nothing, { jobs: [completeReport(), plannedReport()] })).toBe(
    'batchwright: git was read again: 2 jobs\n\n[skip ci]\n',
  );
});
