import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duck } from '../duck.ts';
import { openDuck, sqlText } from '../duck.ts';
import { digestOfFile, moveInPlace } from '../files.ts';
import type { DraftManifest } from './manifest.ts';
import { FIELD, type ManifestRow, NULL, RowSlot } from './row-slot.ts';

export type Part = DraftManifest['parts'][number];

/**
 * Writes manifest rows as Parquet parts. Rows go to a scratch file with control characters between fields (JSON
 * and our keys hold none); when it is full, DuckDB copies it into a part while the next rows go to a second file.
 * The two files are overwritten again and again: pages of a new file cost up to 3.5 us a KB, of an old one nothing.
 *
 * Measured per row of 2 KB: this 17 to 25 us with everything; through DuckDB's appender 28 to 33 and three times the
 * memory; through a JavaScript table function 32 to 35.
 */
export class PartWriter {
  private readonly folder: string;
  private readonly idPrefix: string;
  private readonly duck: Duck;
  private readonly slots: readonly [RowSlot, RowSlot];
  private readonly sealed: Promise<Part>[] = [];
  /** Gives the path under which the part will stand. */
  private copying: Promise<string> | null = null;
  private active = 0;
  private started = 0;

  private constructor(folder: string, scratch: string, idPrefix: string, duck: Duck) {
    this.folder = folder;
    this.idPrefix = idPrefix;
    this.duck = duck;
    this.slots = [new RowSlot(join(scratch, 'rows-a.txt')), new RowSlot(join(scratch, 'rows-b.txt'))];
  }

  /** `idPrefix`: what stands before the key in a custom_id. `folder` is emptied. */
  static async open(folder: string, scratch: string, idPrefix: string): Promise<PartWriter> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const duck = await openDuck({ memoryLimit: '128MB', tempFolder: join(scratch, 'duckdb') });
    return new PartWriter(folder, scratch, idPrefix, duck);
  }

  /** True when `flush` is due. */
  add(row: ManifestRow): boolean {
    return this.slot.add(row);
  }

  /** Starts a part of the rows so far; returns once DuckDB has read the part before. */
  async flush(): Promise<void> {
    await this.finishCopy();
    const slot = this.slot;
    const number = this.started;
    this.started += 1;
    this.copying = this.copy(slot, number);
    // Looked at in `finishCopy`; without this Node would end the process before.
    this.copying.catch(() => undefined);
    this.active = 1 - this.active;
  }

  /** The parts, in order; at least one, so that the manifest can be read as a table. */
  async end(): Promise<readonly Part[]> {
    if (this.slot.rows > 0 || this.started === 0) await this.flush();
    await this.finishCopy();
    return Promise.all(this.sealed);
  }

  /** Safe to call more than once, and after a failure. */
  async close(): Promise<void> {
    await Promise.allSettled([this.copying, ...this.sealed]);
    this.copying = null;
    this.duck.close();
    for (const slot of this.slots) slot.close();
  }

  private get slot(): RowSlot {
    return this.slots[this.active] as RowSlot;
  }

  private async finishCopy(): Promise<void> {
    if (this.copying === null) return;
    const part = seal(await this.copying);
    part.catch(() => undefined);
    this.sealed.push(part);
    this.copying = null;
  }

  private async copy(slot: RowSlot, number: number): Promise<string> {
    const path = join(this.folder, `part-${String(number).padStart(5, '0')}.parquet`);
    const { rows, longest } = slot.finish();
    // Long lines need room: DuckDB holds two of them in a buffer, and again as values. The order is kept all the same,
    // since there is one thread; with the promise of it DuckDB would count the rows of a row group and not its bytes.
    await this.duck.run(
      `SET memory_limit = '${longest > 1_000_000 ? 768 : 128}MB'; SET preserve_insertion_order = false`,
    );
    const statement = copyStatement(slot.path, temporaryOf(path), this.idPrefix, longest);
    const [count] = await this.duck.rows<{ Count: bigint }>(statement);
    const written = Number(count?.Count ?? -1);
    if (written !== rows) throw new Error(`wrote ${rows} rows for ${path}, but DuckDB read ${written}`);
    slot.reset();
    return path;
  }
}

function temporaryOf(path: string): string {
  return `${path}.tmp`;
}

/** Durable under its name, and digested; goes on while the next part is written. */
async function seal(path: string): Promise<Part> {
  await moveInPlace(temporaryOf(path), path);
  return { path, ...(await digestOfFile(path)) };
}

/**
 * Row and body are one list column: in Parquet its elements are neighbours, so zstd finds the row's text again in
 * the body (33 MB for 100,000 rows instead of 53, and faster). The default row group of 122,880 rows would take
 * half a gigabyte, and one of 5,000 long prompts as much.
 */
function copyStatement(from: string, to: string, idPrefix: string, longest: number): string {
  const size = Math.max(2_000_000, longest + 1024);
  return `COPY (
    SELECT ordinal, key, ${sqlText(idPrefix)} || key || ':' || input_hash[1:8] AS custom_id, input_hash, request_hash,
      [row_json, body_json] AS frozen, body_bytes, input_tokens, problem, problem_detail
    FROM read_csv(${sqlText(from)}, columns = {ordinal: 'INTEGER', key: 'VARCHAR', input_hash: 'VARCHAR',
      request_hash: 'VARCHAR', body_bytes: 'INTEGER', input_tokens: 'INTEGER', problem: 'VARCHAR',
      problem_detail: 'VARCHAR', row_json: 'VARCHAR', body_json: 'VARCHAR'},
      header = false, auto_detect = false, delim = ${sqlText(FIELD)}, quote = '', escape = '',
      nullstr = ${sqlText(NULL)}, new_line = '\\n', max_line_size = ${size}, buffer_size = ${size * 2})
  ) TO ${sqlText(to)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 5000, ROW_GROUP_SIZE_BYTES '12MB')`;
}
