import { expect, test } from 'vitest';
import { jobName } from '../../runner/ids.ts';
import { fleetMarkdown, jobMarkdown, runMarkdown } from '../../runner/report/markdown.ts';
import type { Books, JobReport } from '../../runner/report/report.ts';
import { conditions } from '../support/report-parts.ts';
import {
  canaryReport,
  completeReport,
  emulatorReport,
  failedCanaryReport,
  fleetReport,
  noCapacityReport,
  plannedReport,
  stalledReport,
  underWayReport,
} from '../support/report-values.ts';

const PAGES = {
  complete: jobMarkdown(completeReport()),
  'under-way': jobMarkdown(underWayReport()),
  canary: jobMarkdown(canaryReport()),
  stalled: jobMarkdown(stalledReport()),
  'failed-canary': jobMarkdown(failedCanaryReport()),
  'no-capacity': jobMarkdown(noCapacityReport()),
  emulator: jobMarkdown(emulatorReport()),
  planned: jobMarkdown(plannedReport()),
  run: runMarkdown(completeReport()),
  fleet: fleetMarkdown(fleetReport(200)),
  'fleet-small': fleetMarkdown({ jobs: [emulatorReport()], broken: [] }),
};

test('a job that stands still says what a person must do, and never that nobody is needed', () => {
  const next = 'read the report, mend prompt or schema, and merge: that starts a new run';
  const message = 'the canary has 2 valid of 10 answers, 9 are needed; the rest was not sent';
  const page = jobMarkdown({
    ...canaryReport(),
    phase: 'stalled',
    conditions: conditions('stalled', {
      type: 'Stalled',
      reason: 'CanaryFailed',
      message: `${message} → ${next}`,
    }),
    waits: [{ what: 'ticket-labels', waitsFor: message, until: null, command: next }],
  });
  expect(page).toContain(`\n> **A person must act: ${next}**  \n> CanaryFailed: ${message}\n`);
  expect(page).not.toContain('nothing needs a person');
});

test("where only the provider has no room, it goes on by itself: said as a stall, and not as a person's task", () => {
  const page = jobMarkdown(noCapacityReport());
  expect(page).toContain('> **It stands still. NoCapacity: openai/batch-prod has had no room');
  expect(page).not.toContain('A person must act');
  expect(page).not.toContain('nothing needs a person');
});

test('what nobody knows a remedy for is told with its reason', () => {
  const stalled = { type: 'Stalled', reason: 'Odd', message: 'it is odd' } as const;
  const page = jobMarkdown({ ...plannedReport(), conditions: conditions('stalled', stalled), waits: [] });
  expect(page).toContain('\n> **A person must act. Odd: it is odd**\n');
});

test('a run that only reuses has nothing to send; one that is not sent yet has', () => {
  const page = (dispositions: Books['dispositions']) => {
    const { run, ...report } = canaryReport();
    if (run === null) throw new Error('a canary report has a run');
    const books = { ...run.books, dispositions, attempts: 0, batches: 0, rounds: [] };
    return jobMarkdown({ ...report, run: { ...run, books, canary: null, shards: [] } });
  };
  expect(page({ reused: 100_000 })).toContain('nothing had to be sent');
  expect(page({ valid_not_applied: 100_000 })).toContain('\nNothing had to be sent.\n');
  expect(page({ unsent: 100_000 })).toContain('nothing has been sent yet');
  expect(page({ unsent: 100_000 })).toContain('\nNothing is sent yet.\n');
});

test('jobs that were never sent stand apart from quiet ones, with the reason', () => {
  const unsent = { ...plannedReport(), phase: 'planned', conditions: [], waits: [] } as const;
  const suspended: JobReport = {
    ...unsent,
    job: jobName('suspended'),
    phase: 'suspended',
    waits: [{ what: 'suspended', waitsFor: 'legal has to agree', until: null, command: null }],
  };
  const page = fleetMarkdown({ jobs: [completeReport(), unsent, suspended], broken: [] });
  expect(page).toContain('**3 jobs · 1 needs a person · 0 under way · 2 not sent yet · 0 quiet**');
  expect(page).toContain(
    [
      '## Not sent yet',
      '',
      '| job | phase | why |',
      '|---|---|---|',
      '| [suspended](suspended/README.md) | suspended | legal has to agree |',
      '| [ticket-labels](ticket-labels/README.md) | planned | no pass has taken it up yet |',
    ].join('\n'),
  );
});

test.each(Object.entries(PAGES))('%s', async (name, page) => {
  await expect(page).toMatchFileSnapshot(`../fixtures/report/${name}.md`);
});
