import { hash, randomBytes } from 'node:crypto';

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** A job's identity: the `name` in its YAML file, never the file's path. */
export type JobName = Brand<string, 'JobName'>;
/** Sixteen random characters of `0-9a-z`; names one announced paid effect. */
export type IntentId = Brand<string, 'IntentId'>;
/** SHA-256 in lower-case hex, 64 characters. */
export type Digest = Brand<string, 'Digest'>;
/** The first 16 bytes of a SHA-256 in lower-case hex, 32 characters. */
export type ShortDigest = Brand<string, 'ShortDigest'>;
/** UTC, ISO 8601 with milliseconds (`2026-11-30T10:52:33.000Z`): such strings sort by time. */
export type Instant = Brand<string, 'Instant'>;
/** Who pays: `<provider name>/<account name>`. Never a key. */
export type AccountId = Brand<string, 'AccountId'>;
/** What travels as a provider's `custom_id`: `<intent id>_<ordinal in base 36>`. */
export type WireId = Brand<string, 'WireId'>;

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

const JOB_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** True where `text` can be a job's name: it becomes a folder, a file name and a provider tag. */
export function isJobName(text: string): text is JobName {
  return JOB_NAME.test(text);
}

/** @throws RangeError where `text` is no job name. */
export function jobName(text: string): JobName {
  if (!isJobName(text)) throw new RangeError(`not a job name: ${JSON.stringify(text)}`);
  return text;
}

export function digestOf(bytes: string | Uint8Array): Digest {
  return hash('sha256', bytes) as Digest;
}

export function shortDigestOf(bytes: string | Uint8Array): ShortDigest {
  return hash('sha256', bytes).slice(0, 32) as ShortDigest;
}

/** The digest of a value as canonical JSON: keys sorted, so that the order of writing does not count. */
export function digestOfValue(value: unknown): Digest {
  return digestOf(canonicalJson(value));
}

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    isPlainObject(inner) ? sortedByName(inner) : inner,
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As entries and not by assignment: a name such as `__proto__` must stay a plain name. */
function sortedByName(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function instantOf(epochMs: number): Instant {
  return new Date(epochMs).toISOString() as Instant;
}

/** @throws RangeError where `text` is no date. */
export function instant(text: string): Instant {
  return instantOf(Date.parse(text));
}

export function epochMs(at: Instant): number {
  return Date.parse(at);
}

export function later(at: Instant, byMs: number): Instant {
  return instantOf(epochMs(at) + byMs);
}

/** For people: `2026-11-30 09:05 UTC`. */
export function formatMinute(at: Instant): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** 16 characters of base 36 are 82 bits: two in one workspace will not meet. */
export function newIntentId(): IntentId {
  let id = '';
  while (id.length < 16) {
    for (const byte of randomBytes(24)) {
      // 252 is the largest multiple of 36 in a byte; above it the letters would not be equally likely.
      if (byte < 252 && id.length < 16) id += BASE36[byte % 36];
    }
  }
  return id as IntentId;
}

/** The name in the journal of a batch that nobody announced: the same id gives the same name. */
export function secondIntentId(batchId: string): IntentId {
  const number = BigInt(`0x${digestOf(`second ${batchId}`).slice(0, 24)}`);
  return number.toString(36).padStart(16, '0').slice(-16) as IntentId;
}

export function wireId(intent: IntentId, ordinal: number): WireId {
  return `${intent}_${ordinal.toString(36)}` as WireId;
}

/** The ordinal in a wire id of this intent; null where the id is not ours or not of this intent. */
export function ordinalOf(intent: IntentId, id: string): number | null {
  const prefix = `${intent}_`;
  if (!id.startsWith(prefix)) return null;
  const text = id.slice(prefix.length);
  const ordinal = Number.parseInt(text, 36);
  return Number.isSafeInteger(ordinal) && ordinal.toString(36) === text ? ordinal : null;
}
