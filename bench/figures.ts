import type { Contestant } from './contest.ts';
import type { Result } from './contestant.ts';
import type { Looks } from './looks.ts';

/** The results of one number of rows, in the order of the rounds; each round has one of each contestant. */
export interface Rounds {
  readonly rows: number;
  readonly rounds: readonly Readonly<Partial<Record<Contestant, Result>>>[];
}

/** One contestant's figures: medians over the rounds. */
export interface Figures {
  readonly contestant: Contestant;
  readonly rowsPerSecond: number;
  readonly peakMb: number;
  readonly cpuMicrosPerRow: number;
  /** Rate beside that of the bare loop in the same round; 1 is as fast. */
  readonly ratios: readonly number[];
  readonly phases: Readonly<Record<string, number>>;
  /** Null where nobody looked. */
  readonly looks: Looks | null;
}

export function figuresOf({ rows, rounds }: Rounds): Figures[] {
  const contestants = Object.keys(rounds[0] ?? {}) as Contestant[];
  return contestants.map((contestant) => {
    const results = rounds.flatMap((round) => round[contestant] ?? []);
    return {
      contestant,
      rowsPerSecond: median(results.map(({ ms }) => (rows / ms) * 1000)),
      peakMb: median(results.map(({ peakMb }) => peakMb)),
      cpuMicrosPerRow: median(results.map(({ cpuMs }) => (cpuMs / rows) * 1000)),
      ratios: rounds.flatMap(({ bare, [contestant]: own }) => (bare && own ? [bare.ms / own.ms] : [])),
      phases: phaseMedians(results),
      looks: lookMedians(results.flatMap(({ looks }) => looks ?? [])),
    };
  });
}

function phaseMedians(results: readonly Result[]): Record<string, number> {
  const names = [...new Set(results.flatMap(({ phases }) => Object.keys(phases)))];
  return Object.fromEntries(
    names.map((name) => [name, median(results.map(({ phases }) => phases[name] ?? 0))]),
  );
}

function lookMedians(looks: readonly Looks[]): Looks | null {
  if (looks.length === 0) return null;
  return {
    planMs: median(looks.map(({ planMs }) => planMs)),
    statusMs: median(looks.map(({ statusMs }) => statusMs)),
    reportMs: median(looks.map(({ reportMs }) => reportMs)),
    ledgerMb: median(looks.map(({ ledgerMb }) => ledgerMb)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
