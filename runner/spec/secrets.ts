/** Forms of keys that must never stand in a repository; the names are for the message. */
const SECRETS: readonly (readonly [name: string, form: RegExp])[] = [
  ['an API key', /\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,}/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}/],
  ['an AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,})/],
  ['a Slack token', /\bxox[abprs]-[A-Za-z0-9-]{10,}/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a signed token (JWT)', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/],
  ['a password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@{}]{3,}@/],
];

export interface Secret {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Where a text holds what looks like a secret; at most one of each form on a line. */
export function secretsIn(text: string): Secret[] {
  return SECRETS.flatMap(([name, form]) =>
    [...text.matchAll(new RegExp(form, 'g'))].map(({ 0: found, index }) => ({
      name,
      start: index,
      end: index + found.length,
    })),
  );
}

/** The text with every secret blotted out: findings reach logs and comments. */
export function withoutSecrets(text: string): string {
  let clean = text;
  for (const { start, end } of secretsIn(text)) {
    clean = clean.slice(0, start) + '•'.repeat(end - start) + clean.slice(end);
  }
  return clean;
}
