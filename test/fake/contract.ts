import type { Batch, View } from './batch.ts';
import type { ResultFile, StoredFile } from './files.ts';
import type { Json } from './json.ts';
import type { Errand } from './lies.ts';
import type { LastPhase, Plan } from './life.ts';
import type { Part, ProviderName, ResultLine, Row, Run } from './model.ts';
import type { World } from './world.ts';

/** One HTTP request, read to its end. */
export type Call = {
  method: string;
  /** Decoded, without the query. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  body: Buffer;
};

/** How an errand is to be answered: the truth, or what a lie makes of it. */
export type Telling = {
  /** The moment whose state is told. */
  at: number;
  bend(view: View): View;
  size(bytes: number): number | null | undefined;
  /** Whether a list leaves a batch out. */
  hides(batch: Batch): boolean;
  /** False where a deed is only pretended. */
  act: boolean;
};

/** What a provider answers. `bears` is a result whose whole content is in the answer. */
export type Answer =
  | { is: 'json'; status: number; value: unknown; headers?: Record<string, string>; bears?: ResultFile }
  | { is: 'lines'; file: ResultFile; type: string }
  | { is: 'bytes'; bytes: Buffer; type: string };

/** What a client wants, and how to do it. */
export type Task = {
  on: Errand | 'other';
  batch: Batch | null;
  part: Part | null;
  carry(telling: Telling): Answer;
};

/** What a provider does in its own way. */
export type Contract = {
  name: ProviderName;
  /** What its usual life has of its own. */
  plan: Partial<Plan>;
  /** A batch that expires has no results, and nothing of it is charged. */
  losesExpired: boolean;
  route(call: Call, world: World): Task;
  writeRun(run: Run): ResultLine;
  /** The line of a request that did not run, or null where there is none. */
  writeLeft(row: Row, last: LastPhase): ResultLine | null;
  /** The result files of a batch that ended so. */
  storeResults(batch: Batch, lines: ResultLine[], world: World): ResultFile[];
  writeError(status: number, message: string): Json;
  shape: Shape;
};

/** Where a result line has its id and its content. */
export type Shape = {
  idField: string;
  /** The answer's body; undefined where the line is no good answer. */
  readContent(line: Json): unknown;
  writeContent(line: Json, content: unknown): Json;
};

/** An errand that no batch and no lie is part of. */
export function answerOther(carry: () => Answer): Task {
  return { on: 'other', batch: null, part: null, carry };
}

/** A JSON answer with status 200. */
export function answerJson(value: unknown): Answer {
  return { is: 'json', status: 200, value };
}

/** Which part of the results a file is, or null. */
export function readPart(file: StoredFile): Part | null {
  return file.kind === 'result' ? file.part : null;
}
