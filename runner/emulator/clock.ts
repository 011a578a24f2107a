/** The emulator's time. Everything that it says about time comes from here, the `Date` header too. */
export interface EmulatorClock {
  readonly mode: 'real' | 'manual';
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Moves time on by `ms`; life cycles, expiry and waiting answers follow. */
  advance(ms: number): void;
  /** Moves time to a moment (milliseconds or ISO 8601), which may lie in the past: clocks do jump. */
  set(to: number | string): void;
  /** Resolves once `ms` of this clock have passed, or when the clock is stopped. */
  sleep(ms: number): Promise<void>;
  /** Lets go of everybody who sleeps; the emulator closes. */
  stop(): void;
}

/** `real` runs along with the machine's clock from where it is set; `manual` stands until it is told. */
export type ClockOption =
  | { readonly mode: 'real'; readonly offsetMs?: number }
  | { readonly mode: 'manual'; readonly at?: number | string };

/** 2026-11-30T08:00:00Z: where a manual clock stands unless told otherwise, so that tests are the same any day. */
export const MANUAL_START = Date.UTC(2026, 10, 30, 8);

/** @param moved is told the new difference from the machine's clock (real) or the new time (manual). */
export function createClock(option: ClockOption, moved: (value: number) => void = () => {}): EmulatorClock {
  const base = option.mode === 'real' ? () => Date.now() : () => 0;
  let offset = option.mode === 'real' ? (option.offsetMs ?? 0) : epochOf(option.at ?? MANUAL_START);
  const sleepers = new Set<Sleeper>();

  function move(next: number): void {
    offset = next;
    moved(offset);
    for (const sleeper of [...sleepers]) sleeper.look();
  }

  const clock: EmulatorClock = {
    mode: option.mode,
    now: () => base() + offset,
    advance: (ms) => move(offset + finite(ms)),
    set: (to) => move(epochOf(to) - base()),
    sleep: (ms) => sleepUntil(clock, clock.now() + ms, sleepers),
    stop: () => {
      for (const sleeper of [...sleepers]) sleeper.wake();
    },
  };
  return clock;
}

interface Sleeper {
  look(): void;
  wake(): void;
}

function sleepUntil(clock: EmulatorClock, due: number, sleepers: Set<Sleeper>): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const sleeper: Sleeper = {
      wake() {
        clearTimeout(timer);
        sleepers.delete(sleeper);
        resolve();
      },
      look() {
        clearTimeout(timer);
        const left = due - clock.now();
        if (left <= 0) return sleeper.wake();
        if (clock.mode === 'real') timer = setTimeout(sleeper.look, Math.min(left, LONGEST_TIMER_MS)).unref();
      },
    };
    sleepers.add(sleeper);
    sleeper.look();
  });
}

/** A longer `setTimeout` fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function epochOf(moment: number | string): number {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  if (!Number.isFinite(ms)) throw new RangeError(`not a moment in time: ${JSON.stringify(moment)}`);
  return ms;
}

function finite(ms: number): number {
  if (!Number.isFinite(ms)) throw new RangeError(`not a number of milliseconds: ${ms}`);
  return ms;
}
