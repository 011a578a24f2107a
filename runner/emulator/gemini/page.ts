import type { AnyCallFault } from '../faults.ts';
import { json, type Reply } from '../http.ts';
import { refusal } from './replies.ts';

/**
 * One page of a list under `field`, from behind the item that the token stands for. An empty list has no field at all,
 * and the last page no token, as protocol buffers leave out what is empty.
 */
export function listPage<Row extends { readonly id: string }>(
  field: string,
  rows: readonly Row[],
  wire: (row: Row) => unknown,
  query: URLSearchParams,
  fault: AnyCallFault,
): Reply {
  const size = Number(query.get('pageSize') ?? 50);
  if (!Number.isInteger(size) || size < 1 || size > 1000)
    return refusal('INVALID_ARGUMENT', 'The page size is a whole number from 1 to 1000.');
  const token = fault.repeat_cursor === true ? null : query.get('pageToken');
  const start = token === null ? 0 : rows.findIndex(({ id }) => tokenOf(id) === token) + 1;
  if (token !== null && start === 0) return refusal('INVALID_ARGUMENT', 'Invalid page token.');
  const shown = rows.slice(start, start + size);
  const last = shown.at(-1);
  const hasMore = start + size < rows.length || fault.repeat_cursor === true;
  return json(200, {
    ...(shown.length === 0 ? {} : { [field]: shown.map(wire) }),
    ...(hasMore && last !== undefined ? { nextPageToken: tokenOf(last.id) } : {}),
  });
}

/** Opaque, and not fit for an address as it stands. */
function tokenOf(id: string): string {
  return Buffer.from(`after ${id}?`).toString('base64');
}
