import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkScenario } from '../../runner/emulator/scenario-check.ts';
import type { Program } from './program.ts';

/** A program that once failed, and what it showed. */
export interface ProgramFile extends Program {
  readonly about: string;
}

/** Every program file of a folder with its name. @throws where one has rules that the emulator does not know. */
export function programFiles(folder: string): { readonly name: string; readonly program: ProgramFile }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, program: programIn(join(folder, name)) }));
}

function programIn(path: string): ProgramFile {
  const program = JSON.parse(readFileSync(path, 'utf8')) as ProgramFile;
  const rules = program.steps.flatMap((step) => (step.do === 'faults' ? step.rules : []));
  const problems = checkScenario({ rules });
  if (problems.length > 0) throw new Error(`${path}: ${JSON.stringify(problems)}`);
  return program;
}

/** The text of a file that says what a failing program does, to be given a name and kept. */
export function programText(program: Program, about: string): string {
  return JSON.stringify({ about, ...program }, null, 2);
}
