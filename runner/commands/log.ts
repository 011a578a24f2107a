import type { LogEntry } from '../reconcile/context.ts';
import { plain } from '../report/escape.ts';

/** A line of the log. Texts may hold a provider's words, so nothing in them may steer a terminal or a CI host. */
export function logLine(entry: LogEntry, _color: boolean): string {
  const mark = entry.level === 'info' ? '' : `${entry.level}: `;
  const whose = entry.job === null ? '' : `${entry.job}: `;
  return `${mark}${whose}${plain(entry.text, 600)}\n`;
}
