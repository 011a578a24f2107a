import { distance } from 'fastest-levenshtein';

/** The nearest of the known names, or null where none is near enough to be what was meant. */
export function nearest(written: string, known: Iterable<string>): string | null {
  let best: string | null = null;
  let least = farthest(written) + 1;
  for (const name of known) {
    const steps = stepsBetween(written, name);
    if (steps < least) [best, least] = [name, steps];
  }
  return best;
}

/** `Did you mean …?`, or undefined: fits a finding's `hint`. */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const name = nearest(written, known);
  return name === null ? undefined : `Did you mean \`${name}\`?`;
}

/** Names in backticks, the first `most` of them: a list that a reader can take in. */
export function listed(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** A third of the letters may differ: `modle` finds `model`, `owner` does not find `order_id`. */
function farthest(written: string): number {
  return Math.max(1, Math.floor(written.length / 3));
}

/** Case and `-`, `_` count as nothing: `maxTokens` is `max_tokens`. Two swapped letters count as one step. */
function stepsBetween(a: string, b: string): number {
  const [plainA, plainB] = [plain(a), plain(b)];
  if (plainA === plainB) return 0;
  const steps = distance(plainA, plainB);
  return steps === 2 && areSwapped(plainA, plainB) ? 1 : steps;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '');
}

function areSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = [...a].findIndex((letter, place) => letter !== b[place]);
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
