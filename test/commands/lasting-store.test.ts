import { expect, it } from 'vitest';
import { refuseVanishingStore } from '../../runner/commands/lasting-store.ts';
import { normaliseSettings } from '../../runner/spec/normalise-settings.ts';

const judged = (path: string, env: Record<string, string>) => () =>
  refuseVanishingStore('/work/repo', normaliseSettings({ store: { kind: 'local', path } }), env);

const ACTIONS = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: '/work/repo' };

it.each(['state', 'a/b', '../repo/state', '/work/repo/state'])(
  'B088: a journal in %s goes with the machine of a workflow, so nothing is bought',
  (path) => {
    expect(judged(path, ACTIONS)).toThrow(/would buy everything again/);
  },
);

it('a folder outside the workspace stays, and so does one on a machine of your own', () => {
  expect(judged('/mnt/state', ACTIONS)).not.toThrow();
  expect(judged('../repository/state', ACTIONS)).not.toThrow();
  expect(judged('state', {})).not.toThrow();
});
