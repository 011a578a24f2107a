/** Options that every verb takes. */
export interface Common {
  readonly root: string;
  readonly json: boolean;
  readonly color: boolean;
  /** Look at what `rehearse` has left, not at the real state. */
  readonly rehearsal?: boolean;
  readonly out: (text: string) => void;
}

/** Exit codes that all verbs share; `docs/cli.md` lists them. */
export const EXIT = {
  ok: 0,
  error: 1,
  changes: 2,
  blocked: 3,
  stateConflict: 4,
  partly: 5,
  interrupted: 130,
} as const;
