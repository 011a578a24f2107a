import type { Finding } from '../errors.ts';
import { type Instant, instantOf } from '../ids.ts';
import type { LoadedJob } from '../spec/job.ts';
import { countText, findingText, type Palette, PLAIN, plural } from '../spec/finding-text.ts';
import { loadRepository, type Repository } from '../spec/load.ts';
import { checkPromptColumns, compilePrompts } from '../spec/prompt.ts';

export interface ValidateOptions {
  readonly root: string;
  readonly now: Instant;
  /** One versioned document instead of text. */
  readonly json?: boolean;
  readonly color: boolean;
  /** Only findings of these jobs and of what they share; absent: of all. */
  readonly jobs?: readonly string[];
  /** The columns of a job's input; where given, templates are held against them. @throws UserError where it cannot be read */
  readonly columnsOf?: (loaded: LoadedJob, repository: Repository) => Promise<readonly string[]>;
  readonly out: (text: string) => void;
}
