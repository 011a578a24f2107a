const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * `30m`, `12h`, `3d` as milliseconds.
 * @throws RangeError where the text is no duration; the schema has refused those before
 */
export function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (!(unit in UNITS)) throw new RangeError(`not a duration: ${text}`);
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

/** The shortest way to write a duration in whole units: 36 h is `36h`, 72 h is `3d`. */
export function durationText(ms: number): string {
  for (const unit of ['d', 'h', 'm'] as const) {
    if (ms % UNITS[unit] === 0) return `${ms / UNITS[unit]}${unit}`;
  }
  throw new RangeError(`not a whole number of minutes: ${ms} ms`);
}
