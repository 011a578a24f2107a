import type { FleetReport, JobReport } from '../report/report.ts';
import { inSinks, openRows } from '../report/summary.ts';
import { usd } from '../report/text.ts';
import type { News } from './worth.ts';

/**
 * Pure: the commit's message. The first line says what happened, or how everything stands where no job has news: all is
 * done, or an edit was read that moves nothing yet. A job each below, where several have news. Job names are letters,
 * digits and hyphens, and nothing else of a repository's text is in it.
 */
export function commitMessage({ jobs }: News, fleet: Pick<FleetReport, 'jobs'>): string {
  if (jobs.length === 0) return `batchwright: ${standing(fleet.jobs)}\n\n${SKIP}\n`;
  const lines = jobs.map(sentence);
  if (lines.length === 1) return `batchwright: ${lines[0]}\n\n${SKIP}\n`;
  const phases = [...new Set(jobs.map(({ phase }) => phase))];
  const what = phases.length === 1 ? phases[0] : 'changed';
  return `batchwright: ${lines.length} jobs ${what}\n\n${lines.map((line) => `- ${line}\n`).join('')}\n${SKIP}\n`;
}

/** Of hundreds of jobs a commit need not tell each. */
function standing(jobs: readonly JobReport[]): string {
  const [only] = jobs;
  const isDone = jobs.every(({ phase }) => phase.startsWith('complete'));
  const what = jobs.length === 1 && only !== undefined ? sentence(only) : `${jobs.length} jobs`;
  return `${isDone ? 'up to date' : 'git was read again'}: ${what}`;
}

/** Hosts start no workflow for it: a report is no order, and a pass that started a pass would never end. */
const SKIP = '[skip ci]';

/** `ticket-labels complete, 99,412 applied, 588 held or failed, $28.18` */
function sentence({ job, phase, run }: JobReport): string {
  if (run === null) return `${job} ${phase}`;
  const of = run.books.dispositions;
  const parts = [
    `${job} ${phase}`,
    counted(inSinks(of), 'applied'),
    counted(openRows(of), 'open'),
    counted((of.held ?? 0) + (of.failed ?? 0) + (of.refused ?? 0), 'held or failed'),
    counted(of.set_aside ?? 0, 'set aside'),
    run.money.settledUsd ? usd(run.money.settledUsd) : null,
    run.emulator ? 'emulated' : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function counted(rows: number, what: string): string | null {
  return rows === 0 ? null : `${rows.toLocaleString('en-US')} ${what}`;
}
