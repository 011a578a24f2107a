import { canonicalJson, type Json } from '../ids.ts';
import type { LoadedJob } from './job.ts';
import { longForm } from './long-form.ts';

/**
 * Pure: fields of a job that differ and make no run, as `priority: normal → high`. What makes a run (model, prompt,
 * schema, input, output) is told by the plan itself.
 */
export function editedInPlace(before: LoadedJob, after: LoadedJob): string[] {
  const [from, to] = [longForm(before.job), longForm(after.job)] as const;
  return OPERATIONAL.flatMap((field) => changes(field, from[field] ?? null, to[field] ?? null));
}

const OPERATIONAL = [
  'owner',
  'description',
  'labels',
  'sla',
  'priority',
  'sinks',
  'budget',
  'canary',
  'shard',
  'retry',
  'suspend',
] as const;

function changes(path: string, before: unknown, after: unknown): string[] {
  if (same(before, after)) return [];
  if (isMapping(before) && isMapping(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changes(`${path}.${name}`, before[name] ?? null, after[name] ?? null));
  }
  return [`${path}: ${shown(before)} → ${shown(after)}`];
}

function same(before: unknown, after: unknown): boolean {
  return canonicalJson(before as Json) === canonicalJson(after as Json);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
