import type { JsonObject } from '../../ids.ts';
import type { Draw } from '../seed.ts';
import { excerptOf, sentenceOf } from './excerpt.ts';
import { sampleOfPattern } from './pattern-sample.ts';

/** Up to this length a string is taken for a name or a label, above it for a sentence. */
const SENTENCE_FROM = 40;
const LONGEST = 160;

/**
 * A string that the schema accepts: its format, its pattern, what the text states under the property's name, or else
 * words of the text.
 */
export function sampleOfString(
  schema: JsonObject,
  stated: string | undefined,
  text: string,
  draw: Draw,
): string {
  const { format, pattern } = schema;
  const fixed = typeof format === 'string' ? sampleOfFormat(format, draw) : null;
  if (fixed !== null) return fixed;
  if (typeof pattern === 'string') {
    if (stated !== undefined && matches(pattern, stated) && fitted(stated, schema, text) === stated)
      return stated;
    return sampleOfPattern(pattern, draw) ?? fitted(stated ?? excerptOf(text, 2, draw), schema, text);
  }
  return fitted(stated ?? words(schema, text, draw), schema, text);
}

function words(schema: JsonObject, text: string, draw: Draw): string {
  const longest = numberOr(schema.maxLength, Number.POSITIVE_INFINITY);
  if (longest < SENTENCE_FROM) return excerptOf(text, 2, draw) || 'none';
  return sentenceOf(text, 4 + draw.below(4), draw);
}

function sampleOfFormat(format: string, draw: Draw): string | null {
  const day = new Date(Date.UTC(2026, draw.below(12), 1 + draw.below(28), draw.below(24), draw.below(60)));
  switch (format) {
    case 'date':
      return day.toISOString().slice(0, 10);
    case 'date-time':
      return day.toISOString();
    case 'time':
      return day.toISOString().slice(11);
    case 'duration':
      return `P${1 + draw.below(30)}D`;
    case 'email':
      return `person${draw.below(1000)}@example.com`;
    case 'hostname':
      return `host${draw.below(1000)}.example.com`;
    case 'uri':
    case 'iri':
    case 'uri-reference':
      return `https://example.com/${draw.below(100_000)}`;
    case 'ipv4':
      return `192.0.2.${draw.below(256)}`;
    case 'ipv6':
      return `2001:db8::${(1 + draw.below(0xfffe)).toString(16)}`;
    case 'uuid':
      return `${hex(8, draw)}-${hex(4, draw)}-4${hex(3, draw)}-8${hex(3, draw)}-${hex(12, draw)}`;
    default:
      return null;
  }
}

function hex(length: number, draw: Draw): string {
  return Array.from({ length }, () => draw.below(16).toString(16)).join('');
}

/** Cut or lengthened to the schema's bounds, which count code points; cut between words where there is one. */
function fitted(value: string, schema: JsonObject, text: string): string {
  const least = numberOr(schema.minLength, 0);
  const most = Math.max(least, Math.min(numberOr(schema.maxLength, LONGEST), Math.max(LONGEST, least)));
  // Most strings need no splitting into code points.
  if (value.length >= least * 2 && value.length <= most) return value;
  const points = [...value];
  while (points.length < least) points.push(' ', ...[...text].slice(0, least), '.');
  return points.length > most ? cut(points, least, most) : points.join('');
}

function cut(points: readonly string[], least: number, most: number): string {
  const space = points.slice(0, most + 1).lastIndexOf(' ');
  return points.slice(0, space >= Math.max(least, most / 2) ? space : most).join('');
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return false;
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
