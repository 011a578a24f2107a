import { DamagedFiles, StateConflict, UserError } from '../errors.ts';
import { machineTroubleOf } from '../machine-trouble.ts';
import { plain } from '../report/escape.ts';
import { EXIT } from './common.ts';
import { watchOutput } from './output.ts';
import { buildProgram } from './program.ts';

/** Parses the arguments, runs the verb, and turns what went wrong into words and an exit code. */
export async function runCli(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const output = watchOutput(process.stdout, process.stderr);
  const program = await buildProgram((result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv]);
    await output.settled();
    return code;
  } catch (error) {
    const told = await explained(error, process.stderr.isTTY);
    process.stderr.write(told.text);
    return told.code;
  }
}

/** How a command ended that threw: its exit code, and what a person reads. Only a mistake of ours shows a stack. */
export async function explained(
  error: unknown,
  color = false,
): Promise<{ readonly code: number; readonly text: string }> {
  if (isCommanderExit(error)) return { code: error.exitCode === 0 ? EXIT.ok : EXIT.error, text: '' };
  if (error instanceof UserError) {
    const { findingsText } = await import('./findings.ts');
    return { code: EXIT.error, text: findingsText(error.findings, { color }) };
  }
  if (error instanceof StateConflict || error instanceof DamagedFiles)
    return { code: EXIT.stateConflict, text: `${error.message}\n${error.hint}\n` };
  const trouble = machineTroubleOf(error);
  if (trouble !== null)
    return { code: EXIT.error, text: `${plain(trouble.message, 600)}\n${trouble.hint}\n` };
  // Ours to mend: the whole stack, since nobody can help without it.
  const stack = error instanceof Error ? error.stack : String(error);
  return {
    code: EXIT.error,
    text: `batchwright stopped because of a mistake in itself. Please report it:\n${stack}\n`,
  };
}

function isCommanderExit(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}
