import type { Command } from 'commander';
import type { Common } from './common.ts';

/** Wishes that a person gives to the journal, or to the next review; a pass acts on them. */
export function addWishes(program: Command, done: (code: number) => void, common: () => Common): void {
  program
    .command('retry <job>')
    .description('try failed or held items of the newest run again')
    .option('--class <class...>', 'only those that ended so: provider_error, invalid_output …')
    .action(async (job: string, options: { class?: string[] }) => {
      const { runRetry } = await import('./ask.ts');
      done(await runRetry({ ...common(), job, classes: options.class ?? [] }));
    });
  program
    .command('reprocess <job>')
    .description('read kept result files again, with what this version understands; sends nothing')
    .option('--all', 'rows that have an answer too: says what would change')
    .option('--yes', 'with --all: take it in place of what stands')
    .action(async (job: string, options: { all?: boolean; yes?: boolean }) => {
      const { runReprocess } = await import('./reprocess.ts');
      const { all = false, yes = false } = options;
      done(await runReprocess({ ...common(), job, all, yes }));
    });
  program
    .command('rerun <job>')
    .description('read the source again and start a new run; what has an answer is not bought again')
    .requiredOption('--reason <text>', 'why; the report shows it')
    .action(async (job: string, options: { reason: string }) => {
      const { runRerun } = await import('./ask.ts');
      done(await runRerun({ ...common(), job, reason: options.reason }));
    });
  program
    .command('cancel <job>')
    .description('ask the provider to end the batches of a job; what they did is kept')
    .option('--lost <id>', 'give up one batch, or one intent, that nobody finds at the provider')
    .action(async (job: string, { lost }: { lost?: string }) => {
      const { runCancel } = await import('./ask.ts');
      const { runLost } = await import('./lost.ts');
      const options = { ...common(), job };
      done(lost === undefined ? await runCancel(options) : await runLost({ ...options, id: lost }));
    });
  program
    .command('approve <job>')
    .description('write approvals/<job>.yaml for a run above the threshold, for a person to commit')
    .option('--ceiling-usd <amount>', 'the most that it may cost; by default what the plan says')
    .option('--expires <day>', 'the last day on which the run may begin; by default a week from now')
    .action(async (job: string, options: { ceilingUsd?: string; expires?: string }) => {
      const { runApprove } = await import('./approve.ts');
      done(
        await runApprove({
          ...common(),
          job,
          ceiling: options.ceilingUsd ?? null,
          expires: options.expires ?? null,
        }),
      );
    });
}
