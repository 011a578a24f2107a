import type { ErrorObject } from 'ajv';
import type { Path } from './parse.ts';

/** The kinds of file that people write. */
export type WrittenKind = 'job' | 'settings' | 'approval';

/** One of Ajv's errors with its path decoded. */
export interface Fault {
  readonly error: ErrorObject;
  /** Where it is: for an unknown field the field itself, for a missing one the mapping around it. */
  readonly path: Path;
  readonly points: 'key' | 'value';
}
