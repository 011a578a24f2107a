import type { JobReport } from './report.ts';

/** A whole job lived through one scenario, by the emulator's clock. */
export interface ScenarioView {
  readonly name: string;
  readonly about: string | null;
  /** What was said, in order. `afterMs`: since the beginning. */
  readonly timeline: readonly {
    readonly afterMs: number;
    readonly level: 'info' | 'warning' | 'error';
    readonly text: string;
  }[];
  readonly tookMs: number;
  /** False: it still waits for something after the longest time that a rehearsal takes. */
  readonly ended: boolean;
  readonly jobs: readonly JobReport[];
  readonly charged: Charged;
}

/** The emulator's own account of what it would have asked money for, beside our books. */
export interface Charged {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Requests with the same body that were charged more than once. */
  readonly again: number;
  /** Requests of the books whose charge we were told. */
  readonly settledInputTokens: number;
  readonly settledOutputTokens: number;
}
