import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Scenario } from '../emulator/scenario.ts';
import { userError } from '../errors.ts';
import { didYouMean, listed } from '../spec/suggest.ts';

/** Those that come with the program; a repository may have others of the same form, which come first. */
const SHIPPED = join(import.meta.dirname, '../../scenarios');

/**
 * A scenario by its name in `scenarios/`, or by its path from the root.
 * @throws UserError where there is none, or it has mistakes
 */
export async function scenarioNamed(root: string, name: string): Promise<Scenario> {
  const { readScenarioFile } = await import('../emulator/scenario-file.ts');
  if (!/^[\w-]+$/.test(name)) {
    const shown = isAbsolute(name) ? name : relative(root, resolve(root, name)).replaceAll('\\', '/');
    return readScenarioFile(resolve(root, name), shown);
  }
  const path = [join(root, 'scenarios', `${name}.yaml`), join(SHIPPED, `${name}.yaml`)].find(existsSync);
  if (path === undefined) throw await unknownScenario(name);
  return readScenarioFile(path, `scenarios/${name}.yaml`);
}

/** The names of the set that comes with the program. */
export async function shippedScenarios(): Promise<string[]> {
  const files = await readdir(SHIPPED);
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

async function unknownScenario(name: string) {
  const known = await shippedScenarios();
  return userError(
    'unknown-scenario',
    `There is no scenario ${JSON.stringify(name)}.`,
    didYouMean(name, known) ?? `There are ${listed(known)}; \`all\` runs each of them.`,
  );
}
