import { digestOfFile } from '../../files.ts';
import type { JobName } from '../../ids.ts';
import type { JournalEvent } from '../../journal/events.ts';
import type { StoredFile } from '../../manifest/manifest.ts';
import { count, many } from '../../report/text.ts';
import type { Check } from '../../report/verify-view.ts';
import type { Store } from '../../store/port.ts';
import type { ReadSegment } from './chain.ts';
import { proved, unproved } from './check.ts';

/**
 * Pure: every file of a job that the journal names, each once, also under names that the job had before. Two that differ
 * under one name are both kept.
 */
export function namedFiles(segments: readonly ReadSegment[], job: JobName): StoredFile[] {
  const events = segments.flatMap(({ segment }) => segment?.events ?? []);
  const files = byNewestName(events).flatMap((each) => (each.job === job ? each.files : []));
  return [...new Map(files.map((file) => [`${file.name} ${file.digest} ${file.bytes}`, file])).values()];
}

interface Named {
  job: JobName;
  readonly files: readonly StoredFile[];
}

/** As the fold has it: a rename takes along all that was said before; what is said of an intent later goes by the intent. */
function byNewestName(events: readonly JournalEvent[]): Named[] {
  const named: Named[] = [];
  const announced = new Map<string, Named>();
  for (const event of events) {
    if (event.type === 'job.moved')
      for (const each of [...named, ...announced.values()]) if (each.job === event.from) each.job = event.job;
    const files = filesOf(event);
    const id = 'intent' in event ? event.intent : 'attempt' in event ? event.attempt : null;
    const job = (id === null ? undefined : announced.get(id)?.job) ?? event.job;
    if (id !== null && !announced.has(id)) announced.set(id, { job, files: [] });
    if (files.length > 0) named.push({ job, files });
  }
  return named;
}

function filesOf(event: JournalEvent): readonly StoredFile[] {
  switch (event.type) {
    case 'run.frozen':
      return [...event.manifest.parts, event.recipe];
    case 'raw.collected':
      return event.files.map((file) => file.stored);
    case 'outcomes.settled':
    case 'outcomes.revised':
      return [event.outcomes];
    case 'check.changed':
      return [event.recipe];
    case 'try.answered':
      return event.raw === null ? [] : [event.raw];
    default:
      return [];
  }
}

/** Reads each file through, in constant memory, and compares digest and size with what the journal says. */
export async function checkFiles(store: Store, job: JobName, files: readonly StoredFile[]): Promise<Check> {
  const of = { job, check: 'files' };
  const missing: string[] = [];
  const changed: string[] = [];
  for (const file of files) {
    const path = await store.get(file.name);
    if (path === null) missing.push(`${file.name} is missing`);
    else changed.push(...differences(file, await digestOfFile(path)));
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (missing.length + changed.length === 0) {
    return proved(
      of,
      `${many(files.length, 'file')}, ${many(bytes, 'byte')}: all there, each with its digest`,
    );
  }
  return unproved(of, missing.length > 0 ? 'lost' : 'wrong', {
    message: `${count(missing.length)} of ${many(files.length, 'file')} missing, ${count(changed.length)} changed`,
    details: [...missing, ...changed],
    next: `bring them back from a copy of the state; then \`batchwright state rebuild ${job}\``,
  });
}

/** Pure. */
function differences(file: StoredFile, found: Pick<StoredFile, 'digest' | 'bytes'>): string[] {
  if (found.bytes !== file.bytes) return [`${file.name} has ${found.bytes} bytes instead of ${file.bytes}`];
  return found.digest === file.digest ? [] : [`${file.name} has other bytes than were written`];
}
