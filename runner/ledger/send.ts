import { type Duck, sqlText } from '../duck.ts';
import type { IntentId } from '../ids.ts';
import type { OrdinalRange } from '../journal/events.ts';
import type { WireEnvelope } from '../provider/port.ts';
import { SENDABLE, type SendableKind } from './books.ts';

/** One request that may be sent: the first item that asks for it, and its size. */
export interface SendableRow {
  readonly ordinal: number;
  readonly bodyBytes: number;
  readonly inputTokens: number;
}

/** In the order of the manifest. `limit` for a canary. */
export async function sendableRows(
  duck: Duck,
  run: number,
  kinds: readonly SendableKind[],
  limit: number | null,
): Promise<SendableRow[]> {
  const names = kinds.map(sqlText).join(', ');
  return duck.rows<SendableRow>(
    `SELECT m.ordinal, m.body_bytes AS "bodyBytes", m.input_tokens AS "inputTokens"
     FROM manifest m SEMI JOIN (
       SELECT min(ordinal) AS ordinal FROM (${SENDABLE}) WHERE run = $run AND kind IN (${names}) GROUP BY request
     ) s ON s.ordinal = m.ordinal
     WHERE m.run = $run ORDER BY m.ordinal ${limit === null ? '' : `LIMIT ${limit}`}`,
    { run },
  );
}

/** Writes the shard's lines in the order of their ordinals: a provider's "line 7" must lead back to an item. */
export async function writeWire(
  duck: Duck,
  run: number,
  ordinals: readonly OrdinalRange[],
  intent: IntentId,
  envelope: WireEnvelope,
  path: string,
): Promise<void> {
  await duck.run(
    `COPY (SELECT ${sqlText(envelope.beforeId)} || ${sqlText(`${intent}_`)} || lower(to_base(ordinal, 36)) ||
       ${sqlText(envelope.afterId)} || body_json || ${sqlText(envelope.afterBody)}
     FROM manifest WHERE run = ${run} AND ${within(ordinals)} ORDER BY ordinal)
     TO ${sqlText(path)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '')`,
  );
}

/** The frozen bodies of a few items, for a retry that changes them. */
export async function bodiesOf(
  duck: Duck,
  run: number,
  ordinals: readonly OrdinalRange[],
): Promise<{ ordinal: number; body: string }[]> {
  return duck.rows(
    `SELECT ordinal, body_json AS body FROM manifest WHERE run = ${run} AND ${within(ordinals)} ORDER BY ordinal`,
  );
}

/** One range is a plain filter that skips row groups; many become a set. */
function within(ordinals: readonly OrdinalRange[]): string {
  const [only] = ordinals;
  if (only !== undefined && ordinals.length === 1) return `ordinal BETWEEN ${only[0]} AND ${only[1]}`;
  const ranges = ordinals.map(([first, last]) => `(${first}, ${last})`).join(', ');
  return `ordinal IN (SELECT unnest(range(first, last + 1)) FROM (VALUES ${ranges}) AS r(first, last))`;
}
