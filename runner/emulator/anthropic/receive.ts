import type { IncomingMessage } from 'node:http';
import type { Json, JsonObject } from '../../ids.ts';
import { openBlockWriter } from '../block-writer.ts';
import { isObject } from '../json-value.ts';
import { createArraySplitter } from './array-splitter.ts';

/** What a create brought, its requests written to a file with one of them a line. */
export interface Received {
  readonly bytes: number;
  readonly requests: number;
  /** The first mistake for which the whole create is refused; null where there is none. */
  readonly problem: string | null;
}

/** The form of an id, which is checked at once; all else of a request is looked at when its turn comes. */
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** Reads `{"requests":[…]}` as it comes. Beyond `mostBytes` it is only counted. */
export async function receiveRequests(
  request: IncomingMessage,
  path: string,
  mostBytes: number,
): Promise<Received> {
  const writer = openBlockWriter(path);
  const checker = createIdChecker();
  let bytes = 0;
  let requests = 0;
  let problem: string | null = null;
  const splitter = createArraySplitter('requests', (element) => {
    const parsed = parsedObject(element);
    problem ??=
      parsed === null ? `requests.${requests}: not valid JSON` : checker.problemOf(parsed, requests);
    requests += 1;
    if (problem === null) writer.write(`${oneLine(element, parsed)}\n`);
  });
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes <= mostBytes) splitter.push(piece);
    }
  } finally {
    writer.close();
  }
  if (bytes > mostBytes) return { bytes, requests, problem: null };
  if (!splitter.end()) return { bytes, requests, problem: 'The body is not a JSON object with `requests`.' };
  return { bytes, requests, problem: requests === 0 ? 'requests: at least one is needed' : problem };
}

function createIdChecker() {
  const seen = new Set<string>();
  return {
    problemOf({ custom_id: id, params }: JsonObject, at: number): string | null {
      if (typeof id !== 'string' || !CUSTOM_ID.test(id))
        return `requests.${at}.custom_id: it must match ${CUSTOM_ID.source}`;
      if (seen.has(id)) return `requests.${at}.custom_id: ${id} is used more than once`;
      seen.add(id);
      return isObject(params) ? null : `requests.${at}.params: an object is needed`;
    },
  };
}

function parsedObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The bytes as they came, since their digest is the request's; a line feed between tokens would end the line. */
function oneLine(element: string, parsed: JsonObject | null): string {
  return element.includes('\n') ? JSON.stringify(parsed) : element;
}
