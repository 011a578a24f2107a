import type { JsonObject } from '../ids.ts';
import type { Check, Verification } from './verify-view.ts';

/** What `verify --json` prints. `ok`: nothing is wrong and nothing is lost; what is open may still be so. */
export function verifyJson({ checks }: Verification): JsonObject {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  return {
    format: 'batchwright/verification/v1',
    ok: count('wrong') + count('lost') === 0,
    counts: { proved: count('proved'), open: count('open'), wrong: count('wrong'), lost: count('lost') },
    checks: checks.map(({ job, check, subject, state, message, details, next }) => ({
      job,
      check,
      subject,
      state,
      message,
      details: [...details],
      next,
    })),
  };
}
