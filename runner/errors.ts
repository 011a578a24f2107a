/** One thing that is wrong (or doubtful) in what a person wrote, and what to do about it. */
export interface Finding {
  readonly level: 'error' | 'warning';
  /** Kebab case, stable: people grep for it and the documentation lists it. */
  readonly code: string;
  /** What was expected and what came, in one sentence. */
  readonly message: string;
  /** Further lines under the message, as another program gave them, such as an excerpt with a caret. */
  readonly lines?: readonly string[];
  /** What to do, in one sentence. */
  readonly hint?: string;
  /** From the repository's root, with forward slashes. */
  readonly file?: string;
  /** 1-based; `length` is how many characters the caret line marks. */
  readonly line?: number;
  readonly column?: number;
  readonly length?: number;
  /** The source line under the finding, as it stands in the file. */
  readonly source?: string;
}

/** A person's input cannot be used. Ends the command with exit code 1; nothing was sent. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[], message?: string) {
    super(message ?? findings.map((finding) => finding.message).join('\n'));
    this.findings = findings;
  }
}

/** The usual single finding without a place in a file. */
export function userError(code: string, message: string, hint?: string): UserError {
  return new UserError([{ level: 'error', code, message, ...(hint === undefined ? {} : { hint }) }]);
}

/** State is missing, older than git knows, or moved under us. Exit code 4; nothing was sent. */
export class StateConflict extends Error {
  override readonly name = 'StateConflict';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Findings in one line: the first with its place and what to do, and how many more there are. */
export function findingsInShort(findings: readonly Finding[]): string {
  const hint = findings[0]?.hint;
  const more = findingsWithoutHint(findings);
  return hint === undefined ? more : `${more} (${hint})`;
}

/** The same where what to do is said elsewhere. */
export function findingsWithoutHint(findings: readonly Finding[]): string {
  const [first, ...more] = findings;
  if (first === undefined) return '';
  const place =
    first.file === undefined ? '' : `${first.file}${first.line === undefined ? '' : `:${first.line}`}: `;
  const rest = more.length === 0 ? '' : `; and ${more.length} more`;
  return `${place}${first.message}${rest}`;
}

/** A step cannot go on until a person acts. */
export interface Stalled {
  readonly kind: 'stalled';
  /** CamelCase, as Kubernetes writes condition reasons: `AccountPaused`, `BudgetExceeded` … */
  readonly reason: string;
  readonly message: string;
  readonly next: string;
}

/** The text of whatever was thrown, with its causes: `fetch failed` alone helps nobody. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `: ${messageOf(error.cause)}`;
  return `${error.message}${cause}`;
}
