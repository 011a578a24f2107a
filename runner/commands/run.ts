import { StateConflict, UserError } from '../errors.ts';
import { EXIT } from './common.ts';
import { buildProgram } from './program.ts';

/** Parses the arguments, runs the verb, and turns what went wrong into words and an exit code. */
export async function runCli(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = await buildProgram((result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    return explain(error);
  }
}

async function explain(error: unknown): Promise<number> {
  if (isCommanderExit(error)) return error.exitCode === 0 ? EXIT.ok : EXIT.error;
  if (error instanceof UserError) {
    const { findingsText } = await import('./findings.ts');
    process.stderr.write(findingsText(error.findings, { color: process.stderr.isTTY }));
    return EXIT.error;
  }
  if (error instanceof StateConflict) {
    process.stderr.write(`${error.message}\n${error.hint}\n`);
    return EXIT.stateConflict;
  }
  // Ours to mend: the whole stack, since nobody can help without it.
  process.stderr.write(
    `batchwright stopped because of a mistake in itself. Please report it:\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return EXIT.error;
}

function isCommanderExit(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}
