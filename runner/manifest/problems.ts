import type { Finding } from '../errors.ts';
import { UserError } from '../errors.ts';

/** Bad rows of an input: the first twenty as findings, all of them counted by code. */
export class Problems {
  readonly findings: Finding[] = [];
  total = 0;
  private readonly counts = new Map<string, number>();

  add(code: string, finding: () => Finding): void {
    this.total += 1;
    this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
    if (this.findings.length < SHOWN) this.findings.push(finding());
  }

  byCode(): Record<string, number> {
    return Object.fromEntries([...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The error for a job that takes no bad rows, or has no good ones. */
  asError(rows: number): UserError {
    const count = this.total.toLocaleString('en-US');
    const kinds = Object.entries(this.byCode()).map(([code, of]) => `${of.toLocaleString('en-US')} ${code}`);
    const message = `${count} of ${rows.toLocaleString('en-US')} rows cannot be used: ${kinds.join(', ')}`;
    const hint = 'Correct them, or set `input.on_bad_row: set_aside` to leave such rows out of the run.';
    return new UserError([...this.findings, { level: 'error', code: 'bad-rows', message, hint }], message);
  }
}

/** More than a reader wants to see at once, and enough to see the pattern. */
const SHOWN = 20;
