import type { IncomingMessage } from 'node:http';

/** Ordinary fields are short; more than this is nobody's purpose or expiry. */
const MOST_FIELD_BYTES = 1 << 16;

export interface Upload {
  readonly fields: ReadonlyMap<string, string>;
  /** Null where there was no part `file`. */
  readonly file: { readonly filename: string; readonly bytes: number } | null;
}

/**
 * Reads a `multipart/form-data` body as it comes; the part `file` goes to `write` piece by piece and is nowhere whole.
 * The order of the parts does not matter: the SDK sends `file` before `purpose`.
 * @throws SyntaxError where the body is no such form.
 */
export async function readUpload(request: IncomingMessage, write: (piece: Buffer) => void): Promise<Upload> {
  const form = new FormReader(boundaryOf(request.headers['content-type'] ?? ''), write);
  for await (const piece of request as AsyncIterable<Buffer>) form.push(piece);
  return form.end();
}

function boundaryOf(contentType: string): string {
  const boundary = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const text = boundary?.[1] ?? boundary?.[2];
  if (text === undefined) throw new SyntaxError('the body is not multipart/form-data with a boundary');
  return text;
}

interface Part {
  readonly name: string;
  readonly filename: string | null;
}

class FormReader {
  private readonly delimiter: Buffer;
  private readonly write: (piece: Buffer) => void;
  /** Bytes that cannot be judged before more have come. The first delimiter has no line end before it. */
  private waiting: Buffer = Buffer.from('\r\n');
  private state: 'preamble' | 'headers' | 'content' | 'done' = 'preamble';
  private part: Part | null = null;
  private field: Buffer[] = [];
  private fieldBytes = 0;
  private fileBytes = 0;
  private filename: string | null = null;
  private readonly fields = new Map<string, string>();

  constructor(boundary: string, write: (piece: Buffer) => void) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
    this.write = write;
  }

  push(piece: Buffer): void {
    this.waiting = this.waiting.length === 0 ? piece : Buffer.concat([this.waiting, piece]);
    while (this.step());
  }

  end(): Upload {
    if (this.state !== 'done') throw new SyntaxError('the form ends before its last boundary');
    const { filename, fileBytes: bytes, fields } = this;
    return { fields, file: filename === null ? null : { filename, bytes } };
  }

  /** @returns false where more bytes are needed. */
  private step(): boolean {
    switch (this.state) {
      case 'preamble':
      case 'content':
        return this.readToDelimiter();
      case 'headers':
        return this.readHeaders();
      case 'done':
        this.waiting = Buffer.alloc(0);
        return false;
      default:
        return this.state satisfies never;
    }
  }

  private readToDelimiter(): boolean {
    const at = this.waiting.indexOf(this.delimiter);
    if (at < 0) {
      // The last bytes may be the beginning of a delimiter.
      const safe = Math.max(0, this.waiting.length - this.delimiter.length + 1);
      this.content(this.take(safe));
      return false;
    }
    const after = at + this.delimiter.length;
    if (this.waiting.length < after + 2) return false;
    this.content(this.waiting.subarray(0, at));
    this.endPart();
    const isLast = this.waiting.toString('latin1', after, after + 2) === '--';
    this.take(isLast ? this.waiting.length : after + 2);
    this.state = isLast ? 'done' : 'headers';
    return true;
  }

  private readHeaders(): boolean {
    const end = this.waiting.indexOf('\r\n\r\n');
    if (end < 0) {
      if (this.waiting.length > MOST_FIELD_BYTES) throw new SyntaxError('the headers of a part do not end');
      return false;
    }
    this.part = partOf(this.take(end + 4).toString('utf8'));
    if (this.part.name === 'file') this.filename = this.part.filename ?? '';
    this.state = 'content';
    return true;
  }

  private content(piece: Buffer): void {
    if (piece.length === 0 || this.part === null) return;
    if (this.part.name === 'file') {
      this.fileBytes += piece.length;
      this.write(piece);
      return;
    }
    this.fieldBytes += piece.length;
    if (this.fieldBytes > MOST_FIELD_BYTES) throw new SyntaxError(`the part ${this.part.name} is too long`);
    this.field.push(Buffer.from(piece));
  }

  private endPart(): void {
    if (this.part !== null && this.part.name !== 'file') {
      this.fields.set(this.part.name, Buffer.concat(this.field).toString('utf8'));
    }
    this.part = null;
    this.field = [];
    this.fieldBytes = 0;
  }

  private take(count: number): Buffer {
    const taken = this.waiting.subarray(0, count);
    this.waiting = this.waiting.subarray(count);
    return taken;
  }
}

function partOf(headers: string): Part {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? '';
  const name = /\bname="([^"]*)"/i.exec(` ${disposition.replace(/filename\*?=("[^"]*"|[^;]*)/i, '')}`)?.[1];
  if (name === undefined) throw new SyntaxError('a part of the form has no name');
  const filename = /\bfilename="([^"]*)"/i.exec(disposition)?.[1];
  return { name, filename: filename ?? null };
}
