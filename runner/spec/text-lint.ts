import type { Finding } from '../errors.ts';
import { secretsIn, withoutSecrets } from './secrets.ts';
import type { SourceText } from './source-text.ts';
import { findingAt } from './source-text.ts';

/** What no text of the repository should hold: secrets, and characters that a reviewer cannot see. */
export function textFindings(source: SourceText): Finding[] {
  const secrets = secretsIn(source.text).map(({ name, start, end }) =>
    findingAt(source, start, end, {
      code: 'secret',
      message: `This looks like ${name}; secrets never stand in the repository.`,
      hint: 'Take it out, revoke it, and name an environment variable where one is needed (`api_key_env`).',
    }),
  );
  return [...secrets, ...hiddenFindings(source)];
}

/** Every finding of a file as it may be shown: a source line with a secret is blotted out, whatever the finding is about. */
export function showable(finding: Finding): Finding {
  const message = withoutSecrets(finding.message);
  const hint = finding.hint === undefined ? {} : { hint: withoutSecrets(finding.hint) };
  const source = finding.source === undefined ? {} : { source: withoutSecrets(finding.source) };
  return { ...finding, message, ...hint, ...source };
}

/**
 * Bidirectional controls, zero-width characters and tag characters can say to a model what a reviewer does not see.
 * The joiners of emoji and of Indic scripts (U+200C, U+200D) and flags made of tags stay.
 */
const HIDDEN =
  /[\u00AD\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|(?<!\u{1F3F4}[\u{E0000}-\u{E007F}]*)[\u{E0000}-\u{E007F}]/gu;

function hiddenFindings(source: SourceText): Finding[] {
  return [...source.text.matchAll(HIDDEN)].slice(0, 5).map(({ 0: found, index }) =>
    findingAt(source, index, index + 1, {
      level: 'warning',
      code: 'hidden-character',
      message: `An invisible character stands here (U+${codeOf(found)}); a reviewer would not see it.`,
      hint: 'Delete it, unless the language needs it.',
    }),
  );
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
