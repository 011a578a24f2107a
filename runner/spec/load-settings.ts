import type { Finding } from '../errors.ts';
import { normaliseSettings } from './normalise-settings.ts';
import { parseYaml } from './parse.ts';
import type { Settings } from './settings.ts';
import { textFindings } from './text-lint.ts';
import type { WorkTree } from './work-tree.ts';
import { checkWritten } from './written-check.ts';
import type { WrittenSettings } from './written-settings.generated.ts';

export const SETTINGS_FILE = 'batchwright.yaml';

export interface LoadedSettings {
  /** The defaults where the file cannot be used: rules can still be checked, but nothing may be sent. */
  readonly settings: Settings;
  readonly findings: readonly Finding[];
}

export async function loadSettings(tree: WorkTree): Promise<LoadedSettings> {
  const read = await tree.read(SETTINGS_FILE);
  if (read.kind === 'absent') return defaults([]);
  if (read.kind === 'unreadable') return defaults([read.finding]);
  const parsed = parseYaml(read.source);
  // An empty file is a repository without settings, and not a mistake.
  if (parsed.kind === 'broken') return defaults(parsed.findings.filter(({ code }) => code !== 'empty-file'));
  const { findings, broken } = checkWritten('settings', parsed.yaml);
  const all = [...parsed.findings, ...findings, ...textFindings(read.source)];
  if (broken.size > 0) return defaults(all);
  return { settings: normaliseSettings(parsed.yaml.value as WrittenSettings), findings: all };
}

function defaults(findings: readonly Finding[]): LoadedSettings {
  return { settings: normaliseSettings({}), findings };
}
