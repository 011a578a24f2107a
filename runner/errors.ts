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

/**
 * Stored files of one job are gone, or are not as they were written. Nothing of them is believed: the job is held back, and
 * no other. Exit code 4.
 */
export class DamagedFiles extends Error {
  override readonly name = 'DamagedFiles';
  readonly hint =
    'Nothing more of this job is sent or applied until it is back, and nothing is bought again. Bring it back from a backup of the state; `batchwright verify` names all that is damaged.';
}

/** Findings in one line: the first with its place and what to do, and how many more there are. */
export function findingsInShort(findings: readonly Finding[]): string {
  const hint = hintOf(findings);
  const text = findingsWithoutHint(findings);
  return hint === null ? text : `${text} (${hint})`;
}

/** The same where what to do is said elsewhere. Bad rows are summed up first. */
export function findingsWithoutHint(findings: readonly Finding[]): string {
  const sum = findings.find(isSum);
  const [first, ...more] = findings.filter((finding) => finding !== sum);
  if (first === undefined) return sum?.message ?? '';
  if (sum !== undefined) return `${sum.message}; first ${placed(first)}`;
  return `${placed(first)}${more.length === 0 ? '' : `; and ${more.length} more`}`;
}

/** All of them, one a line, each with its place; the sum of bad rows first. */
export function findingsInLines(findings: readonly Finding[]): string {
  const ordered = [...findings.filter(isSum), ...findings.filter((finding) => !isSum(finding))];
  return ordered.map(placed).join('\n');
}

/** What to do, by the first finding that says so. */
export function hintOf(findings: readonly Finding[]): string | null {
  return findings.find(({ hint }) => hint !== undefined)?.hint ?? null;
}

/** It says nothing of its own, and counts the findings before it. */
function isSum({ code }: Finding): boolean {
  return code === 'bad-rows';
}

/** What is found in a row begins with its place. */
function placed({ file, line, message }: Finding): string {
  if (file === undefined || message.startsWith(file)) return message;
  return `${file}${line === undefined ? '' : `:${line}`}: ${message}`;
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
  if (error.cause === undefined) return error.message;
  return `${error.message.replace(/\.$/, '')}: ${messageOf(error.cause)}`;
}
