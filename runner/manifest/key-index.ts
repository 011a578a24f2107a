import { hash } from 'node:crypto';

const EMPTY = 0xffffffff;
const WORDS = 4;

/**
 * Which keys were seen, and at which ordinal. A key is known by the first 16 bytes of its SHA-256, as requests are:
 * 24 to 48 bytes a key, where a Map of strings takes 50 to 150 and keeps the rows alive that the keys were cut from.
 */
export class KeyIndex {
  private slots = new Uint32Array(1024).fill(EMPTY);
  private prints = new Uint32Array(512 * WORDS);
  private ordinals = new Uint32Array(512);
  private count = 0;

  /** The ordinal at which the key was seen before; null, and remembered, where it is new. */
  addOrFind(key: string, ordinal: number): number | null {
    if (this.count === this.ordinals.length) this.grow();
    const print = hash('sha256', key);
    this.write(print, this.count);
    const slot = this.slotOf(this.count);
    const found = this.slots[slot] as number;
    if (found !== EMPTY) return this.ordinals[found] as number;
    this.slots[slot] = this.count;
    this.ordinals[this.count] = ordinal;
    this.count += 1;
    return null;
  }

  private write(print: string, entry: number): void {
    for (let word = 0; word < WORDS; word += 1) {
      this.prints[entry * WORDS + word] = Number.parseInt(print.slice(word * 8, word * 8 + 8), 16);
    }
  }

  /** The slot that holds an equal print, or the empty one where it belongs. */
  private slotOf(entry: number): number {
    const mask = this.slots.length - 1;
    let slot = (this.prints[entry * WORDS] as number) & mask;
    for (;;) {
      const other = this.slots[slot] as number;
      if (other === EMPTY || this.isEqual(other, entry)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isEqual(a: number, b: number): boolean {
    for (let word = 0; word < WORDS; word += 1) {
      if (this.prints[a * WORDS + word] !== this.prints[b * WORDS + word]) return false;
    }
    return true;
  }

  private grow(): void {
    const capacity = this.ordinals.length * 2;
    this.prints = extended(this.prints, capacity * WORDS);
    this.ordinals = extended(this.ordinals, capacity);
    this.slots = new Uint32Array(capacity * 2).fill(EMPTY);
    for (let entry = 0; entry < this.count; entry += 1) this.slots[this.slotOf(entry)] = entry;
  }
}

/** Where each ordinal came from: one number a row, and where each part of the source begins. */
export class PlaceIndex<Part> {
  private numbers = new Uint32Array(512);
  private readonly parts: { readonly part: Part; readonly first: number }[] = [];
  private count = 0;

  beginPart(part: Part): void {
    this.parts.push({ part, first: this.count });
  }

  /** Ordinals are given in order, from 0. */
  add(at: number): void {
    if (this.count === this.numbers.length) this.numbers = extended(this.numbers, this.count * 2);
    this.numbers[this.count] = at;
    this.count += 1;
  }

  placeOf(ordinal: number): { readonly part: Part; readonly at: number } {
    const found = this.parts.findLast(({ first }) => first <= ordinal);
    if (found === undefined || ordinal >= this.count) throw new RangeError(`no row ${ordinal} was read`);
    return { part: found.part, at: this.numbers[ordinal] as number };
  }
}

function extended(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(length);
  longer.set(array);
  return longer;
}
