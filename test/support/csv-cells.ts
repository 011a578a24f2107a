/** RFC 4180 read without DuckDB, so that a file is seen as another reader sees it. An unquoted empty field is null. */
export function csvCells(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    const { value, end } = text[at] === '"' ? quotedField(text, at + 1) : plainField(text, at);
    row.push(value);
    at = end;
    if (text[at] === ',') {
      at += 1;
    } else {
      if (text.slice(at, at + 2) !== '\r\n') throw new Error(`no CRLF after row ${rows.length}`);
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

function quotedField(text: string, from: number): { value: string; end: number } {
  let at = from;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Error('a quoted field does not end');
    if (text[quote + 1] !== '"')
      return { value: text.slice(from, quote).replaceAll('""', '"'), end: quote + 1 };
    at = quote + 2;
  }
}

function plainField(text: string, from: number): { value: string | null; end: number } {
  const rest = text.slice(from, from + 1000).search(/,|\r\n/);
  const end = rest < 0 ? endOf(text, from) : from + rest;
  return { value: end === from ? null : text.slice(from, end), end };
}

function endOf(text: string, from: number): number {
  const ends = [text.indexOf(',', from), text.indexOf('\r\n', from)].filter((at) => at >= 0);
  return Math.min(text.length, ...ends);
}
