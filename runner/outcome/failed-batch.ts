import type { BatchView } from '../journal/batch.ts';
import type { OrdinalRange } from '../journal/events.ts';
import { type Classified, MISSING } from './classify.ts';
import type { OutcomeClass } from './outcome.ts';
import { words } from './words.ts';

type BatchError = BatchView['errors'][number];

/**
 * What becomes of the items of a batch that failed validation: nothing ran and nothing is billed, so no item has
 * failed by itself, except those whose lines the provider names (openai-python#1643, stdapi.ai#240).
 *
 * - room or money: every item waits, as for a 429; no attempt is used
 * - named lines: those items are quarantined, the others go again without them
 * - the server's fault: every item goes again
 * - anything else (model, endpoint, file): every item stalls until a person acts; sending the same again cannot help
 *
 * @param ordinals the items of its intent; line 1 of the uploaded file holds the first of them, and so on
 */
export function failedBatch(
  batch: Pick<BatchView, 'errors'>,
  ordinals: readonly OrdinalRange[],
): (ordinal: number) => Classified {
  const { errors } = batch;
  const named = errorsByOrdinal(errors, ordinals);
  const others = othersOutcome(errors, named.size);
  return (ordinal) => {
    const error = named.get(ordinal);
    return error === undefined || isForAll(error) ? others : outcome('invalid_request', error);
  };
}

function errorsByOrdinal(
  errors: readonly BatchError[],
  ordinals: readonly OrdinalRange[],
): ReadonlyMap<number, BatchError> {
  const named = new Map<number, BatchError>();
  for (const error of errors) {
    const ordinal = error.line === null ? null : ordinalOnLine(error.line, ordinals);
    if (ordinal !== null && !named.has(ordinal)) named.set(ordinal, error);
  }
  return named;
}

/** Null where the file has no such line. */
function ordinalOnLine(line: number, ordinals: readonly OrdinalRange[]): number | null {
  let before = 0;
  for (const [first, last] of ordinals) {
    const place = line - 1 - before;
    if (place >= 0 && place <= last - first) return first + place;
    before += last - first + 1;
  }
  return null;
}

function othersOutcome(errors: readonly BatchError[], named: number): Classified {
  const forAll = errors.find(isForAll) ?? errors.find((error) => error.line === null);
  if (forAll !== undefined) return outcome(classFor(forAll), forAll);
  if (named === 0) return { ...MISSING, class: 'cancelled', cause: 'the batch failed without a reason' };
  return { ...MISSING, class: 'expired', cause: 'not run: other lines of its batch were refused' };
}

/** Room, money and outages are never about one line, whatever line they are pinned to. */
function isForAll(error: BatchError): boolean {
  return error.about !== undefined && error.about !== 'request';
}

function classFor(error: BatchError): OutcomeClass {
  switch (error.about) {
    case 'capacity':
      return 'rate_or_capacity';
    case 'account':
      return 'account';
    case 'server':
      return 'provider_error';
    case 'request':
    case undefined:
      return 'cancelled';
    default:
      return error.about satisfies never;
  }
}

function outcome(of: OutcomeClass, error: BatchError): Classified {
  const cause = words(`batch failed: ${error.code ?? 'no code'}`, 100);
  return { ...MISSING, class: of, cause, detail: words(error.message) };
}
