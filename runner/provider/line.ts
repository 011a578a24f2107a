import type { Reply, ReplyResult } from '../outcome/outcome.ts';
import { type Fields, fieldsOf } from './fields.ts';

/**
 * One line of a result file: whose it is, by the field that a provider echoes our id in, and what it says. Pure; never
 * throws, as long as `resultOf` throws nothing but the RangeError of a value that is nested too deep to be written.
 */
export function replyOf(line: string, idField: string, resultOf: (fields: Fields) => ReplyResult): Reply {
  const fields = parsed(line);
  if (fields === null) return { wireId: null, result: malformed('not a JSON object') };
  const id = fields[idField];
  if (typeof id !== 'string') return { wireId: null, result: malformed(`no ${idField}`) };
  return { wireId: id, result: resultOrTooDeep(fields, resultOf) };
}

/** A hostile vector of a hundred thousand lists can be parsed, and not written: it must not cost the other lines. */
function resultOrTooDeep(fields: Fields, resultOf: (fields: Fields) => ReplyResult): ReplyResult {
  try {
    return resultOf(fields);
  } catch (error) {
    if (error instanceof RangeError) return malformed('nested too deep');
    throw error;
  }
}

function parsed(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line);
    return fieldsOf(value);
  } catch {
    return null;
  }
}

/** @param detail the same for the same kind of fault, with no words of the line: outcomes must come out the same again */
export function malformed(detail: string): Extract<ReplyResult, { kind: 'malformed' }> {
  return { kind: 'malformed', detail };
}
