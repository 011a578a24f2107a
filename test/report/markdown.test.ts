import { expect, test } from 'vitest';
import { fleetMarkdown, jobMarkdown, runMarkdown } from '../../runner/report/markdown.ts';
import {
  canaryReport,
  completeReport,
  emulatorReport,
  fleetReport,
  plannedReport,
  stalledReport,
  underWayReport,
} from '../support/report-values.ts';

const PAGES = {
  complete: jobMarkdown(completeReport()),
  'under-way': jobMarkdown(underWayReport()),
  canary: jobMarkdown(canaryReport()),
  stalled: jobMarkdown(stalledReport()),
  emulator: jobMarkdown(emulatorReport()),
  planned: jobMarkdown(plannedReport()),
  run: runMarkdown(completeReport()),
  fleet: fleetMarkdown(fleetReport(200)),
  'fleet-small': fleetMarkdown({ jobs: [emulatorReport()], broken: [] }),
};

test.each(Object.entries(PAGES))('%s', async (name, page) => {
  await expect(page).toMatchFileSnapshot(`../fixtures/report/${name}.md`);
});
