import { digText, isObject, type Json, parseText } from '../json.ts';
import type { End } from '../life.ts';
import type { Form } from '../model.ts';

/** The endpoints whose answers the fake can write. */
export const FORMS: Record<string, Form> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/embeddings': 'embeddings',
};

export type InputRow = { key: string; form: Form; body: Json };

/** The requests of an input file, or why the batch fails as a whole: one bad line is enough. */
export function readInput(bytes: Buffer, endpoint: string): { rows: InputRow[]; failure?: End } {
  const lines = bytes.toString().split('\n');
  const read = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [readLine(line, index + 1, endpoint)],
  );
  const rows = read.filter((row): row is InputRow => 'key' in row);
  const failure = read.find((row): row is End => 'as' in row) ?? findWhole(rows);
  return failure === undefined ? { rows } : { rows, failure };
}

function readLine(text: string, line: number, endpoint: string): InputRow | End {
  const value = parseText(text);
  if (!isObject(value)) return fail('invalid_json_line', 'This line is not parseable as valid JSON.', line);
  const key = digText(value, 'custom_id');
  if (key === undefined) return fail('missing_required_parameter', 'Missing custom_id.', line, 'custom_id');
  if (value.method !== 'POST') return fail('invalid_method', 'The method must be POST.', line, 'method');
  if (value.url !== endpoint) return fail('url_mismatch', 'The url is not the endpoint.', line, 'url');
  if (!isObject(value.body)) return fail('missing_required_parameter', 'Missing body.', line, 'body');
  if (digText(value.body, 'model') === undefined)
    return fail('missing_required_parameter', 'Missing model.', line, 'body.model');
  return { key, form: FORMS[endpoint] as Form, body: value.body };
}

function findWhole(rows: InputRow[]): End | undefined {
  if (rows.length === 0) return fail('empty_file', 'The input file is empty.');
  if (rows.length > 50_000) return fail('too_many_tasks', 'The input file has more than 50000 requests.');
  const seen = new Set<string>();
  const twice = rows.findIndex(({ key }) => seen.size === seen.add(key).size);
  if (twice >= 0) return fail('duplicate_custom_id', 'A custom_id is there twice.', twice + 1, 'custom_id');
  const other = rows.findIndex(({ body }) => body.model !== rows[0]?.body.model);
  if (other >= 0)
    return fail('mismatched_model', 'All requests must have one model.', other + 1, 'body.model');
  return undefined;
}

function fail(code: string, message: string, line?: number, param?: string): End {
  return {
    as: 'failed',
    code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(param === undefined ? {} : { param }),
  };
}
