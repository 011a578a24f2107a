import { hash } from 'node:crypto';
import type { ShortDigest } from '../ids.ts';
import type { Endpoint } from '../spec/job.ts';
import type { RequestTotals } from './estimate.ts';
import { keyOf } from './key.ts';
import { KeyIndex, PlaceIndex } from './key-index.ts';
import type { Messages } from './manifest.ts';
import { Problems } from './problems.ts';
import type { Renderer } from './render.ts';
import type { ManifestRow } from './row-slot.ts';
import type { GoodRow, SourcePart, SourceRow } from './source-row.ts';
import { placeOf, rowFinding } from './source-row.ts';
import type { TokenCounter } from './tokens.ts';

export interface FreezeRules {
  readonly keyColumns: readonly string[];
  readonly endpoint: Endpoint;
  readonly maxRequestBytes: number;
  /** Longest input in tokens; null: not known, not checked. */
  readonly contextTokens: number | null;
  /** Above this many input tokens a request has another price; null: there is one price. */
  readonly longContextAbove: number | null;
  readonly renderer: Renderer;
  readonly counter: TokenCounter;
}

/**
 * Turns source rows into manifest rows, one after the other: key, request, hashes, estimate, or the reason why not.
 * Keeps what must be known over all rows: keys seen, columns seen, problems, totals.
 */
export class RowFreezer {
  readonly problems = new Problems();
  readonly totals: RequestTotals = { requests: 0, inputTokens: 0, longRequests: 0, longInputTokens: 0 };
  readonly columns = new Set<string>();
  rows = 0;
  private readonly rules: FreezeRules;
  private readonly keys = new KeyIndex();
  private readonly places = new PlaceIndex<SourcePart>();
  private readonly request: RequestBuffer;
  private part: SourcePart | null = null;

  constructor(rules: FreezeRules) {
    this.rules = rules;
    this.request = new RequestBuffer(rules.endpoint);
  }

  beginPart(part: SourcePart): void {
    this.part = part;
    this.places.beginPart(part);
  }

  /** The buffers in the result are valid until the next call. */
  freeze(row: SourceRow): ManifestRow {
    const ordinal = this.rows;
    this.rows += 1;
    this.places.add(row.at);
    if (row.ok) return this.freezeGood(row, ordinal);
    const key = row.partial === null ? null : keyOf(row.partial, this.rules.keyColumns);
    const base = { ordinal, key: key?.ok ? key.key : null, inputHash: row.digest, row: null };
    return this.setAside(base, row.at, row.code, row.detail);
  }

  private freezeGood(row: GoodRow, ordinal: number): ManifestRow {
    const { value } = row;
    for (const name of Object.keys(value)) this.columns.add(name);
    const bytes = row.bytes ?? Buffer.from(row.text);
    const base = { ordinal, key: null, inputHash: shortHash(bytes), row: bytes };
    const found = keyOf(value, this.rules.keyColumns);
    if (!found.ok) return this.setAside(base, row.at, found.code, found.detail);
    const keyed = { ...base, key: found.key };
    const rendered = this.rules.renderer.request(value);
    if (!rendered.ok) return this.setAside(keyed, row.at, rendered.code, rendered.detail);
    const request = this.request.of(rendered.body);
    const inputTokens = this.rules.counter.estimate(rendered.messages);
    const unfit = this.unfit(request.body.length, inputTokens, rendered.messages);
    if (unfit !== null) return this.setAside(keyed, row.at, unfit.code, unfit.detail);
    const earlier = this.keys.addOrFind(found.key, ordinal);
    if (earlier !== null)
      return this.setAside(keyed, row.at, 'duplicate-key', this.twice(found.key, earlier));
    this.count(inputTokens);
    return { ...keyed, request: { ...request, inputTokens }, problem: null };
  }

  private setAside(
    base: Pick<ManifestRow, 'ordinal' | 'key' | 'inputHash' | 'row'>,
    at: number,
    code: string,
    detail: string,
  ): ManifestRow {
    const part = this.part as SourcePart;
    this.problems.add(code, () => rowFinding(part, at, code, detail));
    const words = `${placeOf(part, at)}: ${detail}`.replace(/\p{Cc}+/gu, ' ');
    return { ...base, request: null, problem: { code, detail: words } };
  }

  private unfit(bytes: number, tokens: number, messages: Messages): { code: string; detail: string } | null {
    const { maxRequestBytes, contextTokens } = this.rules;
    const most = Math.min(maxRequestBytes, MAX_BODY_BYTES);
    if (bytes > most) {
      return {
        code: 'request-too-large',
        detail: `makes a request of ${figure(bytes)} bytes; ${figure(most)} are allowed`,
      };
    }
    // An estimate is good enough far from the limit; near it, it is counted.
    if (contextTokens === null || tokens < contextTokens * 0.7) return null;
    const counted = this.rules.counter.exact(messages);
    if (counted <= contextTokens) return null;
    const detail = `makes a prompt of ${figure(counted)} tokens; the model takes ${figure(contextTokens)}`;
    return { code: 'prompt-too-long', detail };
  }

  private twice(key: string, earlier: number): string {
    const { part, at } = this.places.placeOf(earlier);
    return `has the key ${JSON.stringify(key)}, which ${placeOf(part, at)} has already`;
  }

  private count(inputTokens: number): void {
    const { totals } = this;
    totals.requests += 1;
    totals.inputTokens += inputTokens;
    if (this.rules.longContextAbove === null || inputTokens <= this.rules.longContextAbove) return;
    totals.longRequests += 1;
    totals.longInputTokens += inputTokens;
  }
}

/** One request's body in DuckDB's hands is several copies of it; providers' own limits for one line are near this. */
const MAX_BODY_BYTES = 32 << 20;

function figure(number: number): string {
  return number.toLocaleString('en-US');
}

function shortHash(bytes: Buffer): ShortDigest {
  return hash('sha256', bytes).slice(0, 32) as ShortDigest;
}

/** Writes endpoint and body side by side into one buffer, so that both are hashed in one call without a copy. */
class RequestBuffer {
  private readonly prefix: Buffer;
  private buffer = Buffer.alloc(0);

  constructor(endpoint: Endpoint) {
    this.prefix = Buffer.from(`${endpoint}\n`);
    this.grow(1 << 16);
  }

  of(body: string): { readonly hash: ShortDigest; readonly body: Buffer } {
    const start = this.prefix.length;
    // UTF-8 has at most three bytes for one unit of a JavaScript string.
    if (start + body.length * 3 > this.buffer.length) this.grow(start + body.length * 3);
    const end = start + this.buffer.write(body, start);
    return { hash: shortHash(this.buffer.subarray(0, end)), body: this.buffer.subarray(start, end) };
  }

  private grow(length: number): void {
    this.buffer = Buffer.allocUnsafe(length);
    this.prefix.copy(this.buffer);
  }
}
