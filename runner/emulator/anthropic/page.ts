import { json, type Reply } from '../http.ts';
import { badRequest } from './replies.ts';

/** One page of a list that is newest first: behind `after_id`, or the one that ends before `before_id`. */
export function page<Row extends { readonly id: string }>(
  rows: readonly Row[],
  wire: (row: Row) => unknown,
  query: URLSearchParams,
): Reply {
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    return badRequest('limit: a whole number from 1 to 1000 is needed');
  const [after, before] = [query.get('after_id'), query.get('before_id')];
  if (after !== null && before !== null) return badRequest('after_id and before_id cannot go together');
  const cursor = rows.findIndex((row) => row.id === (after ?? before));
  if (cursor === -1 && (after ?? before) !== null) return badRequest('the cursor is no batch of this list');
  const start = before === null ? cursor + 1 : Math.max(0, cursor - limit);
  const end = before === null ? start + limit : cursor;
  const shown = rows.slice(start, end);
  return json(200, {
    data: shown.map(wire),
    has_more: before === null ? end < rows.length : start > 0,
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  });
}
