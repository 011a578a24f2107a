import type { Instant } from '../ids.ts';
import type { Job } from './job.ts';
import type { Path } from './parse.ts';
import type { Settings } from './settings.ts';
import type { Note } from './source-text.ts';

/** What a rule reads. Values alone: time comes in, and nothing is looked up. */
export interface RuleInput {
  readonly job: Job;
  readonly settings: Settings;
  readonly now: Instant;
}

/** A finding at a field of the job's file. */
export interface RuleNote extends Note {
  readonly path: Path;
  /** Where the caret goes; the value unless said. */
  readonly points?: 'key';
}

/** A rule between fields, or between a field and the settings: what a JSON Schema cannot say. */
export type Rule = (input: RuleInput) => readonly RuleNote[];
