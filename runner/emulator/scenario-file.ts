import { readFile } from 'node:fs/promises';
import type { Document, LineCounter } from 'yaml';
import { type Finding, UserError } from '../errors.ts';
import { isCode } from '../files.ts';
import type { Scenario } from './scenario.ts';
import { checkScenario, type Problem } from './scenario-check.ts';

/**
 * Reads a scenario file.
 * @param file as it shall stand in messages.
 * @throws UserError with every mistake and its place.
 */
export async function readScenarioFile(path: string, file = path): Promise<Scenario> {
  return parseScenario(await textOfScenario(path, file), file);
}

/** The same for text at hand. */
export async function parseScenario(text: string, file: string): Promise<Scenario> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors.map((error) => finding(error.message, error.pos[0], text, lines, file));
  if (broken.length > 0) throw new UserError(broken);
  const value: unknown = document.toJS();
  const problems = checkScenario(value);
  if (problems.length === 0) return value as Scenario;
  throw new UserError(
    problems.map((problem) => ({
      ...finding(problem.message, offsetOf(document, problem), text, lines, file),
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    })),
  );
}

/** A scenario that came as an object. @throws UserError with every mistake. */
export function assertScenario(scenario: Scenario): Scenario {
  const problems = checkScenario(scenario);
  if (problems.length === 0) return scenario;
  throw new UserError(
    problems.map(({ path, message, hint }) => ({
      level: 'error',
      code: 'scenario',
      message: `${path.join('.') || 'scenario'}: ${message}`,
      ...(hint === undefined ? {} : { hint }),
    })),
  );
}

async function textOfScenario(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    throw new UserError([
      {
        level: 'error',
        code: 'scenario-missing',
        message: `there is no scenario file ${file}`,
        hint: 'The scenarios that come with Batchwright stand in scenarios/.',
      },
    ]);
  }
}

function finding(message: string, offset: number, text: string, lines: LineCounter, file: string): Finding {
  const { line, col } = lines.linePos(offset);
  const source = text.split('\n')[line - 1] ?? '';
  return { level: 'error', code: 'scenario', message, file, line, column: col, source };
}

/** The place of the value that is wrong, or of the nearest thing around it. */
function offsetOf(document: Document, { path }: Problem): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as
      | { range?: readonly number[] | null }
      | undefined;
    const start = node?.range?.[0];
    if (start !== undefined) return start;
  }
  return 0;
}
