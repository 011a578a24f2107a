/** A line of a difference between two texts. */
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Beyond this a difference helps nobody, and takes time that grows with its square. */
const MOST_LINES = 2_000;

/** The lines of two texts, side by side as one would read them. A library's: `diff` (jsdiff). */
export async function textDiff(before: string, after: string): Promise<DiffLine[]> {
  const { diffLines } = await import('diff');
  const [one, other] = [clipped(before), clipped(after)];
  return diffLines(one, other).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => ({ kind: added ? 'new' : removed ? 'gone' : 'same', text })),
  );
}

/** Every line ends with a line end: else the last one would differ where nothing does. */
function clipped(text: string): string {
  return `${text.trimEnd().split(/\r?\n/).slice(0, MOST_LINES).join('\n')}\n`;
}

/** Changed lines with this many same ones round them; `null` stands for those that are left out. */
export function hunks(lines: readonly DiffLine[], around = 2): (DiffLine | null)[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, at): (DiffLine | null)[] => {
    if (near[at]) return [line];
    return at > 0 && near[at - 1] ? [null] : [];
  });
}
