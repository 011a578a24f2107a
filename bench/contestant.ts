import type { Looks } from './looks.ts';

/** Where a contestant finds its work: the arguments of its process. */
export interface Order {
  readonly rowsFile: string;
  readonly serverUrl: string;
  /** A folder of its own, empty but for what `run.ts` prepared. */
  readonly work: string;
}

/** What a contestant prints, as one line of JSON. */
export interface Result {
  /** Rows whose answer was valid and stands in the result. */
  readonly ok: number;
  /** Since the process was started: starting Node and loading code count. */
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  /** Wall time by what it went into. */
  readonly phases: Readonly<Record<string, number>>;
  /** Added when the process has ended, where there is something to look at. */
  readonly looks?: Looks;
}

export function readOrder(): Order {
  const [rowsFile, serverUrl, work] = process.argv.slice(2);
  if (rowsFile === undefined || serverUrl === undefined || work === undefined)
    throw new Error('expected three arguments: the rows, the address of the server, a folder to work in');
  return { rowsFile, serverUrl, work };
}

export type Measured = Omit<Result, 'ok' | 'looks'>;

/** What the process has cost until now. */
export function measured(phases: Result['phases']): Measured {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return {
    ms: Math.round(performance.now()),
    cpuMs: Math.round((userCPUTime + systemCPUTime) / 1000),
    peakMb: Math.round(maxRSS / 1024),
    phases,
  };
}

export function printResult(ok: number, cost: Measured): void {
  process.stdout.write(`${JSON.stringify({ ok, ...cost } satisfies Result)}\n`);
}

/** Adds up wall time by name: each mark takes what has passed since the mark before. */
export class PhaseClock {
  readonly phases: Record<string, number> = {};
  private last = 0;

  mark(name: string): void {
    const now = performance.now();
    this.phases[name] = Math.round((this.phases[name] ?? 0) + now - this.last);
    this.last = now;
  }
}
