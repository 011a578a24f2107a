import type { Duck } from '../duck.ts';
import { type AnswersOrder, answersSelect } from './answers.ts';

/**
 * Whether dropping a run would lose what is known of a request of the current one: the current run has the request,
 * and no run but those in `gone` has a good answer to it. Failures and what waits for a person count too: they carry
 * over as answers do.
 */
export async function leansOn(
  duck: Duck,
  current: number,
  run: number,
  gone: readonly number[],
): Promise<boolean> {
  const [row] = await duck.rows<{ found: boolean }>(
    `SELECT count(*) > 0 AS found FROM item i
     WHERE i.run = ${current} AND i.request IN (SELECT request FROM item WHERE run = ${run})
       AND i.request NOT IN (SELECT request FROM answer WHERE verdict = 'ok'
         AND account = (SELECT account FROM run WHERE run = ${current}) AND run NOT IN (${[run, ...gone].join(', ')}))`,
  );
  return row?.found ?? true;
}

/** The runs that a sink's rows come from: those that bought the answers, and older ones whose keys are kept. */
export async function runsInSink(duck: Duck, order: AnswersOrder): Promise<Set<number>> {
  const rows = await duck.rows<{ bought: number; listed: number }>(
    `SELECT DISTINCT run::INTEGER AS bought, ${order.run} - (ordinal >> 32)::INTEGER AS listed FROM (${answersSelect(order)})`,
  );
  return new Set(rows.flatMap(({ bought, listed }) => [bought, listed]));
}
