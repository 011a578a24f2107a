import { join } from 'node:path';
import { writeIfChanged } from '../../files.ts';
import { currentRun } from '../../journal/fold.ts';
import { needyRows } from '../../ledger/needs.ts';
import type { Rest } from '../../plan/action.ts';
import { heldCsv } from '../../report/held.ts';
import { statusJson } from '../../report/json.ts';
import { fleetMarkdown, jobMarkdown, runMarkdown } from '../../report/markdown.ts';
import type { FleetReport, JobReport } from '../../report/report.ts';
import type { LoadedJob } from '../../spec/job.ts';
import type { PassContext } from '../context.ts';
import { advise } from './advice.ts';
import { describeJob } from './describe.ts';

import { isOneReason } from './needs.ts';

import type { Look } from './run.ts';
import { listStoppers, readStop } from './stop.ts';

/** Every job's report as a value. */
export async function describeFleet(
  ctx: PassContext,
  rests: readonly Rest[],
  look: Look = 'all',
): Promise<FleetReport> {
  const jobs: JobReport[] = [];
  for (const loaded of ctx.repository.jobs) jobs.push(await describeJob(ctx, loaded, rests, look));
  return { jobs, broken: ctx.repository.brokenFiles };
}

/** Writes the committed pages; a file whose bytes would not change is left alone. Gives the paths that changed. */
export async function publishReports(ctx: PassContext, fleet: FleetReport): Promise<string[]> {
  const pages: (readonly [path: string, text: string])[] = [
    [join(ctx.stateFolder, 'README.md'), fleetMarkdown(fleet)],
  ];
  for (const report of fleet.jobs) {
    const loaded = ctx.repository.jobs.find((each) => each.job.name === report.job);
    if (loaded !== undefined) pages.push(...(await jobPages(ctx, report, loaded)));
  }
  const changed: string[] = [];
  for (const [path, text] of pages) if (await writeIfChanged(path, text)) changed.push(path);
  return changed;
}

async function jobPages(
  ctx: PassContext,
  report: JobReport,
  loaded: LoadedJob,
): Promise<(readonly [string, string])[]> {
  const folder = join(ctx.stateFolder, report.job);
  const pages: (readonly [string, string])[] = [
    [join(folder, 'README.md'), jobMarkdown(report)],
    [join(folder, 'status.json'), `${JSON.stringify(statusJson(report), null, 2)}\n`],
  ];
  const run = currentRun(ctx.journal.state, report.job);
  // What the last pass wrote of rows and runs stays where the files that it was made of cannot be read now.
  if (report.run === null || run === undefined) return pages;
  const ledger = await ctx.ledgers.of(report.job, loaded.job, ctx.journal.state);
  if (ledger === null) return pages;
  const stop = await readStop(ctx, { ...run, spec: loaded.job }, ledger);
  const held = await needyRows(ledger.duck, run.run, listStoppers(stop));
  const isEvery = isOneReason(report.run.needs, report.run.books.dispositions);
  const rows = held.map((row) => ({
    ...row,
    answer: row.said,
    next: row.stopped && stop !== null ? (stop.next ?? '') : advise({ ...row, isEvery }, loaded.job),
  }));
  const codeOf = ctx.settings.report.keys === 'shown' ? null : ctx.hashKey;
  pages.push([join(folder, 'held.csv'), heldCsv(rows, codeOf)]);
  pages.push([join(folder, 'runs', String(run.run), 'report.md'), runMarkdown(report)]);
  return pages;
}
