import type { ResultFault } from '../scenario.ts';
import { hexOf } from '../seed.ts';

/**
 * The lines of a request as a scenario wants them to stand in the one file of results.
 * @param line whole, its end included
 * @param contradiction a second line for the request, which says otherwise
 */
export function spoiledLines(
  line: string,
  how: ResultFault,
  customId: string,
  contradiction: () => string,
): string | Buffer {
  switch (how) {
    case 'drop':
      return '';
    case 'duplicate':
      return line + line;
    case 'conflict':
    // There is no second file, so that both lines stand in one.
    case 'both_files':
      return line + contradiction();
    case 'cut':
      return `${line.slice(0, Math.ceil(line.length * 0.6))}\n`;
    case 'corrupt':
      return corrupted(line);
    case 'foreign':
      return (
        line +
        line.replace(JSON.stringify(customId), JSON.stringify(`not-sent-${hexOf(customId).slice(0, 8)}`))
      );
    default:
      return how satisfies never;
  }
}

/** As a scenario wrote it. Not by a replacement string: `$` in the id means nothing there. */
export function lineOfFault(text: string, customId: string): string {
  return text === '' ? '' : `${text.replaceAll('{custom_id}', () => customId)}\n`;
}

/** Bytes in the middle of the line that are not UTF-8. */
function corrupted(line: string): Buffer {
  const bytes = Buffer.from(line);
  const middle = bytes.length >> 1;
  return bytes.fill(0xff, middle, Math.min(middle + 4, bytes.length - 1));
}
