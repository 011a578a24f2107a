const HOUR_MS = 3_600_000;

/**
 * Pure: the longest time between two runs that a cron line plans, from its minutes and hours; a line that names days is
 * taken for a daily one. Enough to tell "late" from "not due".
 */
export function cronGapMs(line: string): number {
  const [minutes = '*', hours = '*'] = line.trim().split(/\s+/);
  const atMinutes = values(minutes, 60);
  const atHours = values(hours, 24);
  const starts = atHours.flatMap((hour) => atMinutes.map((minute) => hour * 60 + minute));
  if (starts.length === 0) return 24 * HOUR_MS;
  const gaps = starts.map((start, at) => ((starts[at + 1] ?? (starts[0] ?? 0) + 24 * 60) - start) * 60_000);
  return Math.max(...gaps);
}

function values(field: string, size: number): number[] {
  const parts = field.split(',').flatMap((part) => ranged(part, size));
  return [...new Set(parts)].filter((value) => value >= 0 && value < size).sort((a, b) => a - b);
}

function ranged(part: string, size: number): number[] {
  const [range = '*', step = '1'] = part.split('/');
  const [from = '0', to] = range === '*' ? ['0', String(size - 1)] : range.split('-');
  const first = Number(from);
  const last = to === undefined ? (part.includes('/') ? size - 1 : first) : Number(to);
  const by = Number(step);
  if (![first, last, by].every(Number.isInteger) || by < 1) return [];
  return Array.from({ length: Math.max(0, Math.floor((last - first) / by) + 1) }, (_, n) => first + n * by);
}
