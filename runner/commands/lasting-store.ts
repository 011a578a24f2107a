import { resolve, sep } from 'node:path';
import { userError } from '../errors.ts';
import type { Settings } from '../spec/settings.ts';

/**
 * A workflow's machine and its folders go when the run ends. A journal that goes with them leaves the next pass
 * knowing nothing of what this one bought, and it would buy it all again.
 * @throws UserError where a pass on such a machine would keep its journal in the workspace
 */
export function refuseVanishingStore(
  root: string,
  { store }: Settings,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (env.GITHUB_ACTIONS !== 'true' || store.kind !== 'local') return;
  const workspace = resolve(env.GITHUB_WORKSPACE ?? root);
  const folder = resolve(root, store.path);
  if (folder !== workspace && !folder.startsWith(workspace + sep)) return;
  throw userError(
    'vanishing-store',
    `the journal would be kept in ${store.path}, and that folder goes when this workflow ends: the next pass would buy everything again`,
    'set `store: { kind: git-ref }` in batchwright.yaml; on a runner of your own, a folder outside the workspace will do',
  );
}
