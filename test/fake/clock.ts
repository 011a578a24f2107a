export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A clock that moves only when it is told to. Times are milliseconds since 1970. */
export type Clock = {
  readonly start: number;
  now(): number;
  advance(ms: number): void;
};

/** Makes a clock at a moment; `onMove` is called after each move. Throws where it is asked to go back. */
export function createClock(start: number, onMove: () => void): Clock {
  let now = start;
  return {
    start,
    now: () => now,
    advance(ms) {
      if (!(ms >= 0)) throw new Error(`a clock moves forward only, by 0 ms or more; asked for ${ms}`);
      now += ms;
      onMove();
    },
  };
}

/** Whole seconds since 1970, as OpenAI writes moments. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / SECOND);
}

/** RFC 3339 text, as Anthropic and Google write moments. */
export function toStamp(ms: number): string {
  return new Date(ms).toISOString();
}
