/**
 * The numbers of an embedding: a list, or base64 of little-endian 32-bit floats, which some servers send whatever was
 * asked for (`encoding_format` of the openai SDK 7.59.0). Null where it is neither, or holds anything but finite numbers.
 */
export function readVector(value: unknown): readonly number[] | null {
  const numbers = typeof value === 'string' ? floatsIn(value) : Array.isArray(value) ? value : [];
  return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : null;
}

const FLOAT_BYTES = 4;

function floatsIn(base64: string): readonly number[] {
  // Node's decoder passes over what is no base64, and a page would become numbers.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % FLOAT_BYTES !== 0) return [];
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}
