import type { Json } from '../../ids.ts';
import type { Reply } from '../http.ts';
import { isArray, isObject, member } from '../json-value.ts';
import { badParameter, missingParameter } from './replies.ts';
import { ENDPOINTS, type Endpoint } from './types.ts';
import { badExpiry, FILE_KEPT_MS, isExpiry } from './uploads.ts';

/** The body of `POST /v1/batches`, checked. */
export interface CreateParams {
  readonly inputFileId: string;
  readonly endpoint: Endpoint;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly outputKeptMs: number;
}

/** OpenAI's bounds for metadata on any object. */
const METADATA = { pairs: 16, keyLength: 64, valueLength: 512 } as const;

/** Reads the parameters of a create, or the 400 that they deserve. What is in the input file is not looked at here. */
export function readCreateParams(
  text: string | null,
): { readonly params: CreateParams } | { readonly reply: Reply } {
  const body = parsed(text);
  if (!isObject(body))
    return { reply: badParameter('', 'We could not parse the JSON body of your request.', null) };
  const reply =
    missingOne(body, ['input_file_id', 'endpoint', 'completion_window']) ??
    wrongConstant(body, 'endpoint', ENDPOINTS) ??
    wrongConstant(body, 'completion_window', ['24h']) ??
    (typeof body.input_file_id === 'string' ? null : badParameter('input_file_id', 'Expected a string.')) ??
    badMetadata(body.metadata) ??
    badOutputExpiry(body.output_expires_after);
  return reply === null ? { params: paramsOf(body) } : { reply };
}

function paramsOf(body: { readonly [name: string]: Json }): CreateParams {
  const seconds = member(body.output_expires_after, 'seconds');
  return {
    inputFileId: String(body.input_file_id),
    endpoint: body.endpoint as Endpoint,
    metadata: (body.metadata ?? null) as CreateParams['metadata'],
    outputKeptMs: typeof seconds === 'number' ? seconds * 1000 : FILE_KEPT_MS,
  };
}

function parsed(text: string | null): Json | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

function missingOne(body: { readonly [name: string]: Json }, names: readonly string[]): Reply | null {
  const name = names.find((candidate) => body[candidate] === undefined);
  return name === undefined ? null : missingParameter(name);
}

function wrongConstant(
  body: { readonly [name: string]: Json },
  name: string,
  allowed: readonly string[],
): Reply | null {
  const value = body[name];
  if (typeof value === 'string' && allowed.includes(value)) return null;
  const expected = allowed.map((one) => `'${one}'`).join(' or ');
  return badParameter(name, `Invalid value: '${String(value)}'. Supported values are: ${expected}.`);
}

function badMetadata(metadata: Json | undefined): Reply | null {
  if (metadata === undefined || metadata === null) return null;
  if (!isObject(metadata) || isArray(metadata))
    return badParameter('metadata', 'Expected an object of strings.');
  const pairs = Object.entries(metadata);
  if (pairs.length > METADATA.pairs) {
    return badParameter('metadata', `Expected at most ${METADATA.pairs} pairs, got ${pairs.length}.`);
  }
  for (const [key, value] of pairs) {
    const problem = pairProblem(key, value);
    if (problem !== null) return badParameter(`metadata.${key}`, problem);
  }
  return null;
}

function pairProblem(key: string, value: Json): string | null {
  if (key.length > METADATA.keyLength) return `Expected a key of at most ${METADATA.keyLength} characters.`;
  if (typeof value !== 'string') return 'Expected a string.';
  return value.length > METADATA.valueLength ? `Expected at most ${METADATA.valueLength} characters.` : null;
}

function badOutputExpiry(value: Json | undefined): Reply | null {
  if (value === undefined || value === null) return null;
  if (member(value, 'anchor') !== 'created_at') {
    return badParameter('output_expires_after.anchor', "The anchor must be 'created_at'.");
  }
  return isExpiry(member(value, 'seconds')) ? null : badExpiry('output_expires_after.seconds');
}
