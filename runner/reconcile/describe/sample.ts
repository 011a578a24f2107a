import { sampleAnswers } from '../../ledger/answer-counts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { SampleRow } from '../../report/report.ts';

/** A few answered rows for a reader. @param shownKey a key as it may stand in a committed page */
export async function describeSample(
  ledger: Ledger,
  run: number,
  limit: number,
  shownKey: (key: string) => string,
): Promise<SampleRow[]> {
  const rows = await sampleAnswers(ledger.duck, run, limit);
  return rows.map(({ key, answer }) => ({ key: shownKey(key), values: sampleValues(JSON.parse(answer)) }));
}

/** Pure: an answer as it stands in a sample, property by property. */
export function sampleValues(answer: unknown): [string, string][] {
  if (typeof answer === 'string') return [['answer', answer]];
  if (Array.isArray(answer)) return [isVector(answer) ? ['embedding', vectorText(answer)] : whole(answer)];
  if (typeof answer !== 'object' || answer === null) return [whole(answer)];
  return Object.entries(answer).map(([name, value]) => [name, valueText(value)]);
}

function whole(value: unknown): [string, string] {
  return ['answer', JSON.stringify(value)];
}

/** Shorter lists of numbers can be read, and are rather somebody's ratings. */
const VECTOR_LENGTH = 16;
const SHOWN_NUMBERS = 3;

function isVector(value: readonly unknown[]): value is readonly number[] {
  return value.length >= VECTOR_LENGTH && value.every((each) => typeof each === 'number');
}

/** Hundreds of numbers tell a reader nothing; how many they are, and that they are not all alike, does. */
function vectorText(numbers: readonly number[]): string {
  const first = numbers.slice(0, SHOWN_NUMBERS).map((each) => each.toPrecision(3));
  return `${numbers.length} numbers: ${first.join(', ')}, …`;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
