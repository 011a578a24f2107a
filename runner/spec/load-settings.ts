import type { Finding } from '../errors.ts';
import { normaliseSettings } from './normalise-settings.ts';
import { parseYaml, type YamlFile } from './parse.ts';
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
  const all = [...parsed.findings, ...findings, ...storeFindings(parsed.yaml), ...textFindings(read.source)];
  if (broken.size > 0) return defaults(all);
  return { settings: normaliseSettings(parsed.yaml.value as WrittenSettings), findings: all };
}

function defaults(findings: readonly Finding[]): LoadedSettings {
  return { settings: normaliseSettings({}), findings };
}

/** A remote beside `kind: local` would look as if the state were kept there. */
function storeFindings(yaml: YamlFile): Finding[] {
  const { store } = yaml.value as WrittenSettings;
  if (typeof store !== 'object' || store === null || (store.kind ?? 'local') !== 'local') return [];
  return GIT_FIELDS.filter((field) => Object.hasOwn(store, field)).map((field) =>
    yaml.at(['store', field], 'key', {
      code: 'store-field',
      message: `\`${field}\` means nothing to a store of kind \`local\`.`,
      hint: 'Write `kind: git-ref` beside it, or leave it out.',
    }),
  );
}

const GIT_FIELDS = ['remote', 'prefix', 'token_env', 'max_gb', 'retention'] as const;
