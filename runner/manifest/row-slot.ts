import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { ShortDigest } from '../ids.ts';

/** A row of the manifest on its way to a part. */
export interface ManifestRow {
  readonly ordinal: number;
  /** Without control characters; null where it could not be read. */
  readonly key: string | null;
  readonly inputHash: ShortDigest;
  /** The row's JSON on one line as UTF-8; null where it is no JSON. */
  readonly row: Buffer | null;
  readonly request: {
    readonly hash: ShortDigest;
    /** JSON on one line as UTF-8. */
    readonly body: Buffer;
    readonly inputTokens: number;
  } | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
}

/** Between fields. JSON holds no raw control character, and keys with one are refused. */
export const FIELD = '\u001f';
/** A field that is NULL. */
export const NULL = '\u001e';

/** A part is full at either. 40 MB are 20,000 rows of 2 KB; rows of 100 KB make parts of 400. */
const PART_ROWS = 50_000;
const PART_BYTES = 40 << 20;
const SLAB_BYTES = 1 << 20;

/** A scratch file and the rows in it. */
export class RowSlot {
  readonly path: string;
  rows = 0;
  private readonly file: number;
  private slab = Buffer.allocUnsafe(SLAB_BYTES);
  private used = 0;
  private written = 0;
  private longest = 0;

  constructor(path: string) {
    this.path = path;
    this.file = openSync(path, 'w+');
  }

  /** True when the slot is full. */
  add({ ordinal, key, inputHash, row, request, problem }: ManifestRow): boolean {
    const hash = request?.hash ?? NULL;
    const bytes = request?.body.length ?? NULL;
    const tokens = request?.inputTokens ?? NULL;
    const numbers = `${ordinal}${FIELD}${key ?? NULL}${FIELD}${inputHash}${FIELD}${hash}${FIELD}${bytes}${FIELD}${tokens}`;
    const head = `${numbers}${FIELD}${problem?.code ?? NULL}${FIELD}${problem?.detail ?? NULL}${FIELD}`;
    const length = head.length * 3 + (row?.length ?? 1) + (request?.body.length ?? 1) + 2;
    this.ensure(length);
    const start = this.used;
    this.text(head);
    this.bytes(row);
    this.text(FIELD);
    this.bytes(request?.body ?? null);
    this.text('\n');
    this.rows += 1;
    this.longest = Math.max(this.longest, this.used - start);
    return this.rows >= PART_ROWS || this.written + this.used >= PART_BYTES;
  }

  finish(): { readonly rows: number; readonly longest: number } {
    this.writeSlab();
    ftruncateSync(this.file, this.written);
    return { rows: this.rows, longest: this.longest };
  }

  reset(): void {
    this.rows = 0;
    this.written = 0;
    this.longest = 0;
  }

  close(): void {
    closeSync(this.file);
  }

  private ensure(length: number): void {
    if (this.used + length <= this.slab.length) return;
    this.writeSlab();
    if (length > this.slab.length) this.slab = Buffer.allocUnsafe(length);
  }

  private text(text: string): void {
    this.used += this.slab.write(text, this.used);
  }

  private bytes(bytes: Buffer | null): void {
    if (bytes === null) this.text(NULL);
    else this.used += bytes.copy(this.slab, this.used);
  }

  private writeSlab(): void {
    for (let at = 0; at < this.used; ) {
      const count = writeSync(this.file, this.slab, at, this.used - at, this.written);
      at += count;
      this.written += count;
    }
    this.used = 0;
  }
}
