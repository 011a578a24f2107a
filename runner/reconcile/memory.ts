import type { JobName } from '../ids.ts';
import type { Rest } from '../plan/action.ts';
import { type KnownLooks, noLooks } from './poll/looks.ts';

/** What one process remembers between its passes; losing it costs only work. */
export interface PassMemory {
  readonly looks: KnownLooks;
  /** Drafts that the gate turned down: not made again while nothing that they depend on has changed. */
  readonly turnedDown: Map<JobName, { readonly key: string; readonly rest: Rest }>;
}

export function newMemory(): PassMemory {
  return { looks: noLooks(), turnedDown: new Map() };
}
