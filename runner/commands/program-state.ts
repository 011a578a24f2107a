import type { Command } from 'commander';
import type { Common } from './common.ts';

/** `state` and the verbs below it. */
export function addStateVerbs(program: Command, done: (code: number) => void, common: () => Common): void {
  const state = program
    .command('state')
    .description('the journal and what the store keeps')
    .action(async () => {
      const { runState } = await import('./state.ts');
      done(await runState(common()));
    });
  state
    .command('rebuild [jobs...]')
    .description('make ledgers anew from journal and files')
    .action(async (jobs: string[]) => {
      const { runRebuild } = await import('./rebuild.ts');
      done(await runRebuild({ ...common(), jobs }));
    });
  state
    .command('prune [jobs...]')
    .description('drop the files of runs that nothing uses any more')
    .option('--keep <duration>', 'keep what is younger: 12h, 30d')
    .option('--dry-run', 'only say what would be dropped')
    .action(async (jobs: string[], options: { keep?: string; dryRun?: boolean }) => {
      const { runPrune } = await import('./state-prune.ts');
      const { keep = null, dryRun = false } = options;
      done(await runPrune({ ...common(), jobs, keep, dryRun }));
    });
  state
    .command('copy')
    .description('copy journal and files to a store of the other kind')
    .requiredOption('--from <store>', 'local or git-ref')
    .requiredOption('--to <store>', 'local or git-ref')
    .action(async (options: { from: string; to: string }) => {
      const { runCopy } = await import('./state-copy.ts');
      done(await runCopy({ ...common(), ...options }));
    });
}
