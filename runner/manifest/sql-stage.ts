import { closeSync, openSync, writeSync } from 'node:fs';
import { sqlName, sqlText } from '../duck.ts';
import { UserError } from '../errors.ts';
import { collidingNames, isRecord } from './exact-json.ts';
import type { BadRow, SourcePart, SourceRow } from './source-row.ts';

/** Rows written down for DuckDB: a view's SELECT over the file, and the rows that could not be read. */
export interface Stage {
  readonly path: string;
  /** Null where no row had a column. */
  readonly select: string | null;
  readonly columns: readonly string[];
  readonly bad: readonly { readonly part: SourcePart; readonly row: BadRow }[];
}

/**
 * Writes rows of text formats to a file that DuckDB reads as the view `input`: one JSON text a value, columns in the
 * order of their first appearance. Types come from all values and never from a sample: a column of booleans alone is
 * BOOLEAN, of safe integers alone BIGINT, of lists and objects alone JSON; every other is VARCHAR with the text as the
 * source has it. (DuckDB's own reader looks at 20,480 rows and casts or drops what comes later.)
 * @throws UserError where two columns differ only in case: SQL could not tell them apart.
 */
export function stageRows(parts: readonly SourcePart[], path: string, firstRows: number | null): Stage {
  const columns = new Columns();
  const bad: { part: SourcePart; row: BadRow }[] = [];
  const writer = new LineWriter(path);
  try {
    for (const { part, row } of rowsOf(parts, firstRows ?? Number.POSITIVE_INFINITY)) {
      if (row.ok) writer.write(columns.lineOf(row.value));
      else bad.push({ part, row });
    }
  } finally {
    writer.close();
  }
  const names = columns.names();
  refuseColliding(names);
  const select = names.length === 0 ? null : selectOf(path, columns, writer.longest);
  return { path, select, columns: names, bad };
}

function* rowsOf(
  parts: readonly SourcePart[],
  most: number,
): Generator<{ part: SourcePart; row: SourceRow }> {
  let count = 0;
  for (const part of parts) {
    for (const row of part.rows()) {
      if (count >= most) return;
      yield { part, row };
      count += 1;
    }
  }
}

const SEPARATOR = '\u001f';
/** JSON holds no raw control character, so these two can stand for structure. */
const NULL = '\u001e';
/** Each line begins with it: DuckDB passes over blank lines, and `{}` is a row too. */
const ROW = '-';

/** What kinds of values a column has had. */
interface Kinds {
  boolean: boolean;
  integer: boolean;
  nested: boolean;
  text: boolean;
}

class Columns {
  private readonly kinds = new Map<string, Kinds>();

  names(): string[] {
    return [...this.kinds.keys()];
  }

  types(): string[] {
    return [...this.kinds.values()].map(typeOf);
  }

  /** A row that lacks the last columns is shorter: the reader pads it. */
  lineOf(value: Readonly<Record<string, unknown>>): string {
    for (const name of Object.keys(value)) {
      if (!this.kinds.has(name)) {
        this.kinds.set(name, { boolean: false, integer: false, nested: false, text: false });
      }
    }
    const texts = [ROW];
    for (const [name, kinds] of this.kinds) {
      const field = Object.hasOwn(value, name) ? value[name] : null;
      note(kinds, field);
      texts.push(field === null ? NULL : JSON.stringify(field));
    }
    return texts.join(SEPARATOR);
  }
}

function note(kinds: Kinds, value: unknown): void {
  if (value === null) return;
  if (typeof value === 'boolean') kinds.boolean = true;
  else if (Number.isSafeInteger(value)) kinds.integer = true;
  else if (Array.isArray(value) || isRecord(value)) kinds.nested = true;
  else kinds.text = true;
}

function typeOf(kinds: Kinds): 'BOOLEAN' | 'BIGINT' | 'JSON' | 'VARCHAR' {
  const { boolean, integer, nested, text } = kinds;
  if (Number(boolean) + Number(integer) + Number(nested) + Number(text) !== 1 || text) return 'VARCHAR';
  if (boolean) return 'BOOLEAN';
  return integer ? 'BIGINT' : 'JSON';
}

function selectOf(path: string, columns: Columns, longest: number): string {
  const types = columns.types();
  const outputs = columns.names().map((name, index) => {
    const json = `c${index}`;
    const text = `if(${json}[1] = '"', json_extract_string(${json}, '$'), ${json})`;
    const value = types[index] === 'VARCHAR' ? text : `${json}::${types[index]}`;
    return `${value} AS ${sqlName(name)}`;
  });
  return `SELECT ${outputs.join(', ')} FROM ${readStage(path, types.length, longest)}`;
}

function readStage(path: string, columns: number, longest: number): string {
  const values = Array.from({ length: columns }, (_, index) => `c${index}: 'VARCHAR'`);
  const types = ["marker: 'VARCHAR'", ...values].join(', ');
  // Without a buffer size DuckDB takes sixteen times the line.
  const size = Math.max(2_000_000, longest + 1024);
  return `read_csv(${sqlText(path)}, columns = {${types}}, header = false, auto_detect = false,
    delim = ${sqlText(SEPARATOR)}, quote = '', escape = '', nullstr = ${sqlText(NULL)}, new_line = '\\n',
    null_padding = true, max_line_size = ${size}, buffer_size = ${size * 2})`;
}

function refuseColliding(names: readonly string[]): void {
  const colliding = collidingNames(names);
  if (colliding === null) return;
  const [first, second] = colliding.map((name) => JSON.stringify(name));
  const message = `input.sql: the columns ${first} and ${second} differ only in case, and SQL cannot tell them apart`;
  throw new UserError([
    { level: 'error', code: 'columns-collide', message, hint: 'Rename one in the input.' },
  ]);
}

const BUFFER_CHARACTERS = 1 << 20;

class LineWriter {
  /** Bytes of the longest line. */
  longest = 0;
  private readonly file: number;
  private lines = '';

  constructor(path: string) {
    this.file = openSync(path, 'w');
  }

  write(line: string): void {
    // Three bytes a character at most: cheaper than counting them.
    this.longest = Math.max(this.longest, line.length * 3);
    this.lines += `${line}\n`;
    if (this.lines.length >= BUFFER_CHARACTERS) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    const bytes = Buffer.from(this.lines);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.file, bytes, at);
    this.lines = '';
  }
}
