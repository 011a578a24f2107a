import type { AnswerFault } from '../scenario.ts';
import type { Draw } from '../seed.ts';

/** Of unit length, and in the precision of a float, as the real ones are. */
export function vectorOf(length: number, draw: Draw): number[] {
  const numbers = Array.from({ length }, () => draw.next() - 0.5);
  const norm = Math.hypot(...numbers);
  return numbers.map((each) => Math.fround(each / norm));
}

/** Faults that are about words mean nothing here. */
export function spoiledVector(vector: number[], fault: AnswerFault | undefined): number[] {
  if (fault === 'empty') return [];
  return fault === 'breaks_schema' || fault === 'invalid_json' ? vector.slice(1) : vector;
}
