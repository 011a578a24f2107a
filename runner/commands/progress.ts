import type { FleetReport } from '../report/report.ts';
import { changedLines, progressLines } from '../report/terminal.ts';
import { nowInstant } from './passes.ts';

export interface ProgressPrinter {
  show(fleet: FleetReport): void;
  /** Leaves the last state standing. */
  end(): void;
}

/** On a terminal the block of lines is drawn over itself; in a log file a line is written when it has changed. */
export function progressPrinter(options: {
  readonly out: (text: string) => void;
  readonly live: boolean;
  readonly color: boolean;
}): ProgressPrinter {
  let shown: readonly string[] = [];

  function redraw(lines: readonly string[]): void {
    const up = shown.length === 0 ? '' : `\u001b[${shown.length}A\u001b[J`;
    options.out(`${up}${lines.map((line) => `${line}\n`).join('')}`);
  }

  return {
    show(fleet) {
      const lines = progressLines(fleet.jobs, {
        color: options.color,
        width: process.stderr.columns ?? 100,
        ...(options.live ? { now: nowInstant() } : {}),
      });
      if (options.live) redraw(lines);
      else for (const line of changedLines(shown, lines)) options.out(`${line}\n`);
      shown = lines;
    },
    end() {
      shown = [];
    },
  };
}
