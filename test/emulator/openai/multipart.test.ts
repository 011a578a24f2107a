import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readUpload } from '../../../runner/emulator/openai/multipart.ts';

const BODY = [
  'a preamble that nobody reads\r\n',
  '--b0und\r\nContent-Disposition: form-data; name="file"; filename="b.jsonl"\r\n',
  'Content-Type: application/octet-stream\r\n\r\n',
  '{"a":1}\r\n--b0un is no boundary\r\n{"b":"ü"}\n',
  '\r\n--b0und\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch',
  '\r\n--b0und\r\nContent-Disposition: form-data; name="empty"\r\n\r\n',
  '\r\n--b0und--\r\nepilogue',
].join('');
const CONTENT = '{"a":1}\r\n--b0un is no boundary\r\n{"b":"ü"}\n';

function request(
  text: string,
  pieceBytes: number,
  type = 'multipart/form-data; boundary=b0und',
): IncomingMessage {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  return Object.assign(Readable.from(pieces), {
    headers: { 'content-type': type },
  }) as unknown as IncomingMessage;
}

describe('reads a form that comes in pieces of', () => {
  test.each([1, 2, 3, 7, 16, 61, 10_000])('%i bytes', async (pieceBytes) => {
    const written: Buffer[] = [];
    const upload = await readUpload(request(BODY, pieceBytes), (piece) => written.push(Buffer.from(piece)));
    expect(Buffer.concat(written).toString()).toBe(CONTENT);
    expect(upload.file).toEqual({ filename: 'b.jsonl', bytes: Buffer.byteLength(CONTENT) });
    expect([...upload.fields]).toEqual([
      ['purpose', 'batch'],
      ['empty', ''],
    ]);
  });
});

test('takes a quoted boundary', async () => {
  const upload = await readUpload(request(BODY, 50, 'multipart/form-data; boundary="b0und"'), () => {});
  expect(upload.fields.get('purpose')).toBe('batch');
});

test.each([
  ['another content type', BODY, 'application/json', 'not multipart/form-data'],
  ['an end before the end', BODY.slice(0, 250), undefined, 'ends before its last boundary'],
  ['a part without a name', '--b0und\r\nX: y\r\n\r\nz\r\n--b0und--', undefined, 'has no name'],
])('refuses %s', async (_name, text, type, message) => {
  await expect(readUpload(request(text, 64, type), () => {})).rejects.toThrow(message);
});
