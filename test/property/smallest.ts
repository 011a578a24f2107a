import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Program } from '../support/program.ts';
import { programText } from '../support/program-file.ts';
import { programs } from './arbitrary.ts';

/** A program that does not end well, made as small as it can be. */
export interface Failure {
  readonly program: Program;
  readonly why: string;
  /** To live it again: the seed, and fast-check's path to it. */
  readonly seed: number;
  readonly path: string | null;
}

/** @throws where the program does not end well. */
export type Live = (program: Program) => Promise<void>;

/** Lives so many programs of a seed until one does not end well; null: all do. */
export async function smallestFailure(
  live: Live,
  { seed, numRuns }: { readonly seed: number; readonly numRuns: number },
): Promise<Failure | null> {
  const outcome = await fc.check(fc.asyncProperty(programs, live), { seed, numRuns });
  if (outcome.counterexample === null) return null;
  const [program] = outcome.counterexample;
  const small = await withoutNeedlessSteps(program, live);
  return { program: small, why: (await whyNot(small, live)) ?? '', seed, path: outcome.counterexamplePath };
}

/** fast-check drops steps from the front alone, and never one out of a scene. */
async function withoutNeedlessSteps(program: Program, live: Live): Promise<Program> {
  for (const at of program.steps.keys()) {
    const fewer = { ...program, steps: program.steps.toSpliced(at, 1) };
    if ((await whyNot(fewer, live)) !== null) return withoutNeedlessSteps(fewer, live);
  }
  return program;
}

async function whyNot(program: Program, live: Live): Promise<string | null> {
  try {
    await live(program);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Writes it as a file of the folder, where `programs.test.ts` lives it each time. @returns the path */
export function keepFailure({ program, why, seed, path }: Failure, folder: string): string {
  const file = join(folder, `found-${seed}-${(path ?? '').replaceAll(':', '-')}.json`);
  writeFileSync(file, `${programText(program, why)}\n`);
  return file;
}
