import { type Duck, sqlTexts } from '../duck.ts';
import { answeredItems } from './answered.ts';

/** The accepted answers of a run to these keys, as JSON text by key. */
export async function answersOfKeys(
  duck: Duck,
  run: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await duck.rows<{ key: string; answer: string }>(
    `SELECT m.key, o.answer FROM (${answeredItems(run)}) f
       JOIN (SELECT key, ordinal FROM manifest WHERE run = ${run} AND list_contains(${sqlTexts(keys)}, key)) m
         ON m.ordinal = f.ordinal
       JOIN outcome o ON o.run = f.answer_run AND o.shard = f.answer_shard AND o.ordinal = f.answer_ordinal`,
  );
  return new Map(rows.map(({ key, answer }) => [key, answer]));
}
