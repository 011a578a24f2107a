import picocolors from 'picocolors';
import type { Finding } from '../errors.ts';
import { countText, findingText, PLAIN } from '../spec/finding-text.ts';

/**
 * Findings one below the other with their source lines; ends with a line feed. Where there are several, how many there
 * are stands below them, unless `count` is false.
 */
export function findingsText(
  findings: readonly Finding[],
  options: { readonly color: boolean; readonly count?: boolean },
): string {
  const palette = options.color ? picocolors.createColors(true) : PLAIN;
  const texts = findings.map((finding) => findingText(finding, palette));
  const counted = options.count ?? findings.length > 1;
  return `${[...texts, ...(counted ? [countText(findings)] : [])].join('\n\n')}\n`;
}
