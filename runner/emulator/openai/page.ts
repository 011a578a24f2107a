import { json, type Reply } from '../http.ts';
import { badParameter } from './replies.ts';

/** One page of a list: from behind the item `after`, with what a cursor needs. */
export function page<Row extends { readonly id: string }>(
  rows: readonly Row[],
  wire: (row: Row) => unknown,
  limit: number,
  after: string | null,
): Reply {
  const start = after === null ? 0 : rows.findIndex((row) => row.id === after) + 1;
  if (after !== null && start === 0) return badParameter('after', `There is no object with id '${after}'.`);
  const shown = rows.slice(start, start + limit);
  return json(200, {
    object: 'list',
    data: shown.map(wire),
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
    has_more: start + limit < rows.length,
  });
}
