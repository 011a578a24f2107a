/** What `doctor` found of one thing. `skipped`: it could not be looked at from here, and the message says why. */
export interface Diagnosis {
  /** The part of the set-up: `repository`, `provider openai`, `job ticket-labels`, `store`, `host`. */
  readonly part: string;
  readonly state: 'good' | 'doubtful' | 'bad' | 'skipped';
  readonly message: string;
  /** What a person can do; null where nothing is to be done. */
  readonly next: string | null;
}
