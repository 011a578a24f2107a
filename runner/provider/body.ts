import { UserError } from '../errors.ts';
import type { Json, JsonObject } from '../ids.ts';
import type { ModelSpec } from '../spec/job.ts';
import type { ProviderKind } from '../spec/profiles.ts';
import { reservedFields } from '../spec/raw-fields.ts';

/** For jobs that never met `validate`. @throws UserError where `model.raw` would replace a field that the job decides */
export function refuseReserved(kind: ProviderKind, { raw }: ModelSpec): void {
  const findings = reservedFields(kind, raw).map(({ path, hint }) => ({
    level: 'error' as const,
    code: 'raw-reserved',
    message: `\`model.raw.${path.join('.')}\` would replace a field that the job decides.`,
    hint,
  }));
  if (findings.length > 0) throw new UserError(findings);
}

/**
 * A body with `raw` over the neutral fields. Objects are merged (`text.verbosity` must not drop `text.format`), everything else is
 * replaced.
 */
export function mergedOver(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const before = merged.get(name);
    merged.set(name, isObject(before) && isObject(value) ? mergedOver(before, value) : value);
  }
  // As entries: a field named `__proto__` must stay a field.
  return Object.fromEntries(merged);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A frozen body with another token cap, for the one retry of a truncated answer. As text and not by parsing: all
 * else must stay byte for byte, numbers in a schema included.
 * @param field by its path, as in `generationConfig.maxOutputTokens`
 * @throws RangeError where the cap does not stand right after the model, as in the bodies that begin with both
 */
export function recapped(body: string, field: string, maxTokens: number): string {
  const path = field.replaceAll('.', '":\\{"');
  const start = new RegExp(`^\\{"model":"(?:[^"\\\\]|\\\\.)*","${path}":`).exec(body);
  if (start === null) throw new RangeError(`no request body with ${field}: ${body.slice(0, 80)}`);
  const cap = /^\d+/.exec(body.slice(start[0].length, start[0].length + 20));
  if (cap === null) throw new RangeError(`no token cap where one was expected: ${body.slice(0, 160)}`);
  return `${start[0]}${maxTokens}${body.slice(start[0].length + cap[0].length)}`;
}

/** Most system prompts are the same for every row. */
export function keepingLast(make: (system: string | null) => string): (system: string | null) => string {
  let last: string | null = null;
  let made = make(null);
  return (system) => {
    if (system !== last) {
      last = system;
      made = make(system);
    }
    return made;
  };
}

/**
 * JSON that no line reader can cut: U+0085, U+2028 and U+2029 are legal inside a JSON string, and there are readers
 * that take them for line ends.
 */
export function jsonText(value: Json): string {
  const text = JSON.stringify(value);
  if (!text.includes('\u2028') && !text.includes('\u2029') && !text.includes('\u0085')) return text;
  return text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029').replaceAll('\u0085', '\\u0085');
}
