import { hash } from 'node:crypto';

/** A stream of numbers that is the same for the same start. */
export interface Draw {
  /** From 0 to just under 1. */
  next(): number;
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number;
}

/** Mulberry32: small, fast, and even enough for invented answers. */
export function drawFrom(start: number): Draw {
  let state = start | 0;
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return { next, below: (count) => Math.floor(next() * count) };
}

/** The first 32 bits of a hex digest as the start of a stream. */
export function startOf(hex: string): number {
  return Number.parseInt(hex.slice(0, 8), 16);
}

/** A number from 0 to just under 1 that depends on nothing but `text`. */
export function shareOf(text: string): number {
  // FNV-1a alone leaves neighbours (`call 1`, `call 2`) near each other; one draw mixes them.
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return drawFrom(state).next();
}

/** 64 hex characters for `text`. */
export function hexOf(text: string): string {
  return hash('sha256', text);
}

/** An id that looks random and depends on nothing but `text`: `prefix` and `length` letters and digits. */
export function lettersOf(prefix: string, text: string, length: number): string {
  const letters = hash('sha512', text, 'base64').replace(/[+/=]/g, '');
  return prefix + letters.slice(0, length);
}
