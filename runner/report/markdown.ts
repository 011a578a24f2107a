import { joined, type Markdown } from './escape.ts';
import { answersSection } from './markdown-answers.ts';
import { booksSection } from './markdown-books.ts';
import { renderCameBack } from './markdown-came-back.ts';
import { headSection, type Page } from './markdown-head.ts';
import { historySection } from './markdown-history.ts';
import { moneySection } from './markdown-money.ts';
import { needsSection, waitsSection } from './markdown-needs.ts';
import { provenanceSection } from './markdown-provenance.ts';
import { timeSection } from './markdown-time.ts';
import type { JobReport, RunReport } from './report.ts';
import { isUnderWay } from './summary.ts';

/** `state/<job>/README.md`: the latest run, and the ten before it in one table. Same content, same bytes. */
export function jobMarkdown(report: JobReport): string {
  return page(report, 'job', historySection(report));
}

/** `state/<job>/runs/<n>/report.md`: the same page about one run, which stays when the next run begins. */
export function runMarkdown(report: JobReport): string {
  return page(report, 'run', null);
}

function page(report: JobReport, where: Page, history: Markdown | null): string {
  const sections = report.run === null ? [waitsSection(report)] : runSections(report, report.run);
  const all = [headSection(report, where), ...sections, history];
  const shown = all.filter((section) => section !== null);
  return `${joined(shown, '\n\n')}\n`;
}

/** While a run is under way its progress comes first; afterwards time is one of the details. */
function runSections(report: JobReport, run: RunReport): (Markdown | null)[] {
  const time = timeSection(report, run);
  const open = isUnderWay(run);
  return [
    renderCameBack(run),
    needsSection(run),
    waitsSection(report),
    open ? time : null,
    booksSection(run),
    answersSection(run),
    moneySection(report, run),
    open ? null : time,
    provenanceSection(run),
  ];
}

export { fleetMarkdown } from './markdown-fleet.ts';
