/** Cuts the elements of a list out of a JSON object that is too large to be parsed as one. */
export interface ArraySplitter {
  push(piece: Buffer): void;
  /** True where the object and its list were whole, and the list held nothing but objects. */
  end(): boolean;
}

const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((each) => each.charCodeAt(0));
const [OPEN_BRACE, CLOSE_BRACE, OPEN_LIST, CLOSE_LIST] = ['{', '}', '[', ']'].map((each) =>
  each.charCodeAt(0),
);
const BLANK = 0x20;

/** The object's depth is 1, that of its list 2. */
const IN_OBJECT = 1;
const IN_LIST = 2;

/** @param emit gets each element's text, which may not be valid inside. */
export function createArraySplitter(name: string, emit: (element: string) => void): ArraySplitter {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inList = false;
  let key = '';
  let found = false;
  let stray = false;
  let begun: Buffer[] | null = null;

  function stepInString(byte: number): void {
    if (escaped) escaped = false;
    else if (byte === BACKSLASH) escaped = true;
    else if (byte === QUOTE) inString = false;
    if (inString && depth === IN_OBJECT) key += String.fromCharCode(byte);
  }

  function open(byte: number): void {
    depth += 1;
    if (depth === IN_LIST && byte === OPEN_LIST && key === name) inList = true;
  }

  function close(): void {
    depth -= 1;
    if (!inList || depth !== IN_OBJECT) return;
    inList = false;
    found = true;
  }

  function push(piece: Buffer): void {
    let start = begun === null ? -1 : 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (inString) {
        stepInString(byte);
        continue;
      }
      if (byte === QUOTE) {
        inString = true;
        if (depth === IN_OBJECT) key = '';
        if (inList && depth === IN_LIST) stray = true;
      } else if (byte === OPEN_BRACE || byte === OPEN_LIST) {
        if (inList && depth === IN_LIST) start = at;
        open(byte);
      } else if (byte === CLOSE_BRACE || byte === CLOSE_LIST) {
        close();
        if (!inList || depth !== IN_LIST) continue;
        emit(Buffer.concat([...(begun ?? []), piece.subarray(start, at + 1)]).toString('utf8'));
        begun = null;
        start = -1;
      } else if (inList && depth === IN_LIST && byte > BLANK && byte !== COMMA) {
        stray = true;
      }
    }
    // The piece's memory is somebody else's.
    if (start !== -1) begun = [...(begun ?? []), Buffer.from(piece.subarray(start))];
  }

  return { push, end: () => found && !stray && depth === 0 && !inString };
}
