import { epochMs, type Instant } from '../ids.ts';

/** Deadlines and horizons count in minutes; half of one is what networks and rounded headers take. */
const HARMLESS_MS = 30_000;

export interface ClockVerdict {
  readonly state: 'good' | 'doubtful' | 'skipped';
  readonly message: string;
  readonly next: string | null;
}

/** Pure: the machine's clock beside the `Date` of a provider's answer. */
export function clockVerdict(ours: Instant, theirs: Instant | null): ClockVerdict {
  if (theirs === null) return { state: 'skipped', message: 'its answer does not tell the time', next: null };
  const ahead = epochMs(ours) - epochMs(theirs);
  if (Math.abs(ahead) <= HARMLESS_MS)
    return { state: 'good', message: 'the clocks agree to within half a minute', next: null };
  const by = `${Math.round(Math.abs(ahead) / 1000).toLocaleString('en-US')} s`;
  return {
    state: 'doubtful',
    message: `this machine's clock is ${by} ${ahead > 0 ? 'ahead of' : 'behind'} the provider's`,
    next: 'set the clock; reports and month budgets go by it, and lost creates are judged by the provider’s own',
  };
}
