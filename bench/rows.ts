import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

/** A generator of 32-bit numbers (mulberry32). `Math.imul` keeps it exact: doubles would repeat after a few thousand. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const SYLLABLES =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi na ne no ra re ri ro sa se so ta te to va ve vi'.split(
    ' ',
  );
const ASCII_WORDS = 3000;
const OTHER_WORDS = [
  'Grüße',
  'Straße',
  'Übergröße',
  'naïve',
  'žluťoučký',
  '退款',
  '发票号码',
  'お問い合わせ',
  'оплата',
  '🙂',
  '🚲',
  'œuvre',
];
/** A row has about 820 bytes of JSON: 740 of text, the rest names, id, title and date. */
const TEXT_BYTES = 690;

/** One ticket, as one line of JSON; the same seed and place give the same row. One in ten is not plain ASCII. */
export function rowWriter(seed: number): (index: number) => string {
  const next = randomNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[next() % items.length] as Item;
  const words = Array.from({ length: ASCII_WORDS }, () =>
    Array.from({ length: 1 + (next() % 4) }, () => pick(SYLLABLES)).join(''),
  );
  const word = (other: boolean) => (other && next() % 4 === 0 ? pick(OTHER_WORDS) : pick(words));
  return (index) => {
    const other = index % 10 === 3;
    const title = Array.from({ length: 5 }, () => word(other)).join(' ');
    const sentences: string[] = [];
    for (let bytes = 0; bytes < TEXT_BYTES; ) {
      const sentence = `${Array.from({ length: 6 + (next() % 8) }, () => word(other)).join(' ')}.`;
      sentences.push(sentence);
      bytes += Buffer.byteLength(sentence) + 1;
    }
    const since = `20${10 + (next() % 16)}-0${1 + (next() % 9)}-1${next() % 10}`;
    return JSON.stringify({
      id: `TK-${String(index).padStart(8, '0')}`,
      title,
      since,
      text: sentences.join(' '),
    });
  };
}

const SEED = 20261124;
const BLOCK_CHARACTERS = 1 << 20;

/** Writes `count` rows as JSON Lines unless the file is there; gives its size in bytes. */
export function writeRows(path: string, count: number): number {
  const known = statSync(path, { throwIfNoEntry: false });
  if (known !== undefined) return known.size;
  const row = rowWriter(SEED);
  const file = openSync(`${path}.part`, 'w');
  let block = '';
  for (let index = 0; index < count; index += 1) {
    block += `${row(index)}\n`;
    if (block.length < BLOCK_CHARACTERS && index + 1 < count) continue;
    writeSync(file, block);
    block = '';
  }
  closeSync(file);
  renameSync(`${path}.part`, path);
  return statSync(path).size;
}
