import picocolors from 'picocolors';
import type { Finding } from '../errors.ts';
import { countText, findingText, PLAIN } from '../spec/finding-text.ts';

/** Findings one below the other with their source lines, and how many there are; ends with a line feed. */
export function findingsText(findings: readonly Finding[], options: { readonly color: boolean }): string {
  const palette = options.color ? picocolors.createColors(true) : PLAIN;
  const texts = findings.map((finding) => findingText(finding, palette));
  const count = findings.length > 1 ? [countText(findings)] : [];
  return `${[...texts, ...count].join('\n\n')}\n`;
}
