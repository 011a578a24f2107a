import { messageOf } from '../../errors.ts';
import type { JobName } from '../../ids.ts';
import type { Check } from '../../report/verify-view.ts';

/** What a check looked at. */
export interface CheckOf {
  readonly job: JobName | null;
  readonly check: string;
  readonly subject?: string;
}

export function proved(of: CheckOf, message: string): Check {
  return { ...of, subject: of.subject ?? '', state: 'proved', message, details: [], next: null };
}

/** What was found, each thing by itself, and what to do about it. */
export interface Found {
  readonly message: string;
  readonly details?: readonly string[];
  readonly next: string | null;
}

export function unproved(of: CheckOf, state: Exclude<Check['state'], 'proved'>, found: Found): Check {
  return { ...of, subject: of.subject ?? '', state, details: [], ...found };
}

/** DuckDB's messages go on with the statement and a caret under it: our own SQL helps nobody. */
export function whyOf(error: unknown): string {
  return messageOf(error).split('\n')[0]?.trim() ?? '';
}
