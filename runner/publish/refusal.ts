/** Why the pages could not be committed, and what a person can do. */
export interface Refusal {
  readonly words: string;
  readonly hint: string;
}

/** Pure: somebody else was quicker; the same again, on the new tip, may well do. */
export function isMoved(words: string): boolean {
  return /non-fast-forward|fetch first|stale info|cannot lock ref|incorrect old value/i.test(words);
}

/** Pure: git's or the host's words, with what they mean here. */
export function refusalOf(words: string): Refusal {
  const known = HINTS.find(([pattern]) => pattern.test(words));
  return {
    words,
    hint: known?.[1] ?? 'look at the remote and at the rights of this runner, and run a pass again',
  };
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /GH006|GH013|protected branch|rule violations|hook declined|prohibited/i,
    'the branch is protected: let this runner past the rule (an app or a deploy key can be), or set `report.target: pull_request`',
  ],
  [
    /Authentication failed|could not read (Username|Password)|Permission denied|returned error: 40[13]|Permission to .* denied|Write access/i,
    'give this runner the right to write (`contents: write`), or name a variable that holds a token: `report.token_env`',
  ],
  [/there is no branch/i, 'set `branch` in batchwright.yaml to the branch that pages are committed to'],
  [
    /dubious ownership/i,
    'the folder belongs to another user; where that is meant: git config --global --add safe.directory <folder>',
  ],
];
