/** A part of a form: its name, its file name where it is a file, and its bytes. */
export type FormPart = { name: string; filename: string | null; bytes: Buffer };

/** Takes a multipart/form-data body apart; gives null where the content type names no boundary. */
export function readForm(contentType: string, body: Buffer): FormPart[] | null {
  const named = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = named?.[1] ?? named?.[2];
  if (boundary === undefined) return null;
  return cutAt(body, Buffer.from(`--${boundary}`))
    .slice(1)
    .filter((piece) => !piece.subarray(0, 2).equals(Buffer.from('--')))
    .flatMap(readPart);
}

function cutAt(body: Buffer, mark: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, from)) {
    pieces.push(body.subarray(from, at));
    from = at + mark.length;
  }
  return [...pieces, body.subarray(from)];
}

/** A piece is: line break, headers, empty line, bytes, line break. */
function readPart(piece: Buffer): FormPart[] {
  const end = piece.indexOf('\r\n\r\n');
  if (end < 0) return [];
  const head = piece.subarray(0, end).toString();
  const name = /[;\s]name="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) return [];
  const filename = /filename="([^"]*)"/i.exec(head)?.[1] ?? null;
  return [{ name, filename, bytes: piece.subarray(end + 4, piece.length - 2) }];
}
