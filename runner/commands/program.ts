import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { userError } from '../errors.ts';
import type { Common } from './common.ts';
import { addStateVerbs } from './program-state.ts';
import { addWishes } from './program-wishes.ts';
import { findRoot } from './root.ts';

type Done = (code: number) => void;

/** The commands in the order of the help: what people do each day comes first. Bodies are loaded when they run. */
export async function buildProgram(done: Done): Promise<Command> {
  const { Command } = await import('commander');
  const program = new Command('batchwright')
    .description('GitOps runner for LLM batch inference: jobs in git, a reconciler, reports as commits.')
    .version(version())
    .option('--root <dir>', 'the repository; by default the one that this folder lies in')
    .option('--json', 'one versioned JSON document on standard output')
    .option('--rehearsal', 'look at what `rehearse` has left, not at the real state')
    .showHelpAfterError('(`batchwright help <verb>` says more)')
    .exitOverride();
  addDaily(program, done);
  addSpec(program, done);
  addWishes(program, done, () => common(program));
  addState(program, done);
  return program;
}

function addDaily(program: Command, done: Done): void {
  program
    .command('new <name>')
    .description('write a job, its prompts and an output schema from a data file')
    .requiredOption('--from <file>', 'the data: CSV, TSV, JSON, JSONL or Parquet')
    .requiredOption('--key <column>', 'the column that names a row')
    .action(async (name: string, options: { from: string; key: string }) => {
      const { runNew } = await import('./new.ts');
      const { sourceColumns } = await import('../manifest/source.ts');
      done(await runNew({ ...common(program), name, ...options, sourceColumns }));
    });
  program
    .command('try <job>')
    .description('ask a few rows now, at the synchronous price; applies nothing')
    .option('-n, --rows <count>', 'how many, from the shortest to the longest: 1 to 20', '5')
    .option(
      '--key <key>',
      'this row; may be given several times',
      (key, keys: string[]) => [...keys, key],
      [],
    )
    .option('--max-usd <amount>', 'the most that all of them may cost', '0.5')
    .action(async (job: string, options: { rows: string; key: string[]; maxUsd: string }) => {
      const { runTry } = await import('./try.ts');
      const { rows, maxUsd, key: keys } = options;
      done(await runTry({ ...common(program), job, rows, maxUsd, keys }));
    });
  program
    .command('plan [jobs...]')
    .description('show what a pass would send, and what it would cost; sends nothing')
    .option('--detailed-exitcode', 'exit 2 where there are changes')
    .option(
      '--policy <dir>',
      'a checkout of the base branch: its budgets and policy hold, not those proposed here',
    )
    .option('--comment <file>', "write it as Markdown for a pull request's comment too")
    .action(
      async (jobs: string[], options: { detailedExitcode?: boolean; policy?: string; comment?: string }) => {
        const { runPlan } = await import('./plan.ts');
        done(
          await runPlan({
            ...common(program),
            jobs,
            detailedExitcode: options.detailedExitcode ?? false,
            policyRoot: options.policy ?? null,
            comment: options.comment ?? null,
          }),
        );
      },
    );
  program
    .command('reconcile [jobs...]')
    .description('one pass: poll, collect, plan, submit, apply, report')
    .option('--watch', 'pass after pass, until nothing is under way')
    .option('--wait <duration>', 'the same, for at most this long: 10m, 2h')
    .option('--commit', 'commit the pages where something has happened, and push them')
    .option('--strict', 'exit 3 where a job is blocked, 5 where one failed or stalled')
    .action(
      async (
        jobs: string[],
        options: { watch?: boolean; wait?: string; commit?: boolean; strict?: boolean },
      ) => {
        refuseRehearsal(common(program));
        const { runReconcile } = await import('./reconcile.ts');
        done(
          await runReconcile({
            ...common(program),
            jobs,
            watch: options.watch ?? false,
            wait: options.wait ?? null,
            strict: options.strict ?? false,
            commit: options.commit ?? false,
          }),
        );
      },
    );
  program
    .command('status [jobs...]')
    .description('where every job stands, what waits for what')
    .action(async (jobs: string[]) => {
      const { runStatus } = await import('./status.ts');
      done(await runStatus({ ...common(program), jobs }));
    });
  program
    .command('results <job>')
    .description('print the answers that were applied')
    .option('--format <format>', 'table, jsonl or csv', 'table')
    .option('--limit <rows>', 'at most this many rows')
    .option('-o, --output <file>', 'write all to a file: .parquet, .jsonl or .csv')
    .action(async (job: string, options: { format: string; limit?: string; output?: string }) => {
      const { runResults } = await import('./results.ts');
      done(
        await runResults({
          ...common(program),
          job,
          format: options.format,
          limit: options.limit ?? null,
          output: options.output ?? null,
        }),
      );
    });
}

function addSpec(program: Command, done: Done): void {
  program
    .command('validate')
    .description('check jobs, prompts, schemas and settings; needs no network')
    .action(async () => {
      const { runValidate } = await import('./validate.ts');
      done(await runValidate(common(program)));
    });
  program
    .command('show <job>')
    .description('the long form of a job, with every default')
    .action(async (job: string) => {
      const { runShow } = await import('./show.ts');
      done(await runShow({ ...common(program), job }));
    });
  program
    .command('init [folder]')
    .description('set a repository up: settings, an example job, schemas for editors, workflows')
    .action(async (folder: string | undefined) => {
      const { runInit } = await import('./init.ts');
      const { root } = program.opts<{ root?: string }>();
      const { json, out } = common(program);
      done(await runInit({ folder: resolve(folder ?? root ?? '.'), version: version(), json, out }));
    });
  program
    .command('providers')
    .description('what each provider takes and promises: limits, windows, endpoints, parameters, prices')
    .option('--markdown', 'as tables of a page')
    .action(async (options: { markdown?: boolean }) => {
      const { runProviders } = await import('./providers.ts');
      const { json } = program.opts<{ json?: boolean }>();
      const out = (text: string) => process.stdout.write(text);
      done(await runProviders({ json: json ?? false, markdown: options.markdown ?? false, out }));
    });
  program
    .command('types')
    .description('TypeScript types for the output schemas')
    .action(async () => {
      const { runTypes } = await import('./types.ts');
      done(await runTypes(common(program)));
    });
}

function addState(program: Command, done: Done): void {
  program
    .command('report <job>')
    .description('print the report page of a job')
    .action(async (job: string) => {
      const { runReport } = await import('./report.ts');
      done(await runReport({ ...common(program), job }));
    });
  program
    .command('sql <job> <query>')
    .description('query the ledger of a job: run, item, attempt, answer, disposition …')
    .action(async (job: string, query: string) => {
      const { runSql } = await import('./sql.ts');
      done(await runSql({ ...common(program), job, query }));
    });
  program
    .command('trace <job> <key...>')
    .description('everything that happened to one key: requests, answers, decisions, cost, sinks')
    .action(async (job: string, key: string[]) => {
      const { runTrace } = await import('./trace.ts');
      done(await runTrace({ ...common(program), job, key }));
    });
  program
    .command('diff <job> <run> <run>')
    .description('two runs side by side: what was asked otherwise, what came out otherwise')
    .action(async (job: string, before: string, after: string) => {
      const { runDiff } = await import('./diff.ts');
      done(await runDiff({ ...common(program), job, before, after }));
    });
  program
    .command('verify [jobs...]')
    .description('prove journal, files, books and sinks, or name what is not as it should be')
    .action(async (jobs: string[]) => {
      const { runVerify } = await import('./verify.ts');
      done(await runVerify({ ...common(program), jobs }));
    });
  addStateVerbs(program, done, () => common(program));
  program
    .command('rehearse [jobs...]')
    .description('run jobs against the built-in emulator: no key, no network, no cost')
    .option('--fresh', 'forget earlier rehearsals first')
    .option(
      '--scenario <name...>',
      'live through a bad day in seconds: a name in scenarios/, a file, or `all`',
    )
    .action(async (jobs: string[], options: { fresh?: boolean; scenario?: string[] }) => {
      if (options.scenario !== undefined) {
        const { runScenarios } = await import('./rehearse-scenario.ts');
        return done(await runScenarios({ ...common(program), jobs, scenarios: options.scenario }));
      }
      const { runRehearse } = await import('./rehearse.ts');
      done(await runRehearse({ ...common(program), jobs, fresh: options.fresh ?? false }));
    });
  program
    .command('doctor')
    .description('look at everything that a pass needs: keys, network, clock, inputs, sinks, store, schedule')
    .option('--live', 'ask each model for one row too, at the synchronous price')
    .action(async (options: { live?: boolean }) => {
      const { runDoctor } = await import('./doctor.ts');
      done(await runDoctor({ ...common(program), env: process.env, live: options.live ?? false }));
    });
  program
    .command('emulator')
    .description('a provider on loopback that behaves like the real ones')
    .option('--port <n>', 'the port', '4010')
    .option('--scenario <file>', 'faults to play')
    .option('--dir <folder>', 'keep its files and batches there')
    .action(async (options: { port: string; scenario?: string; dir?: string }) => {
      const { runEmulator } = await import('./emulator.ts');
      done(
        await runEmulator({
          ...common(program),
          port: options.port,
          scenario: options.scenario ?? null,
          dir: options.dir ?? null,
        }),
      );
    });
}

/** Who types it means that nothing is spent. */
function refuseRehearsal({ rehearsal }: Common): void {
  if (!rehearsal) return;
  throw userError(
    'no-rehearsal',
    '`reconcile` sends to the real provider, so it takes no --rehearsal',
    '`batchwright rehearse` runs jobs against the emulator',
  );
}

function common(program: Command): Common {
  const { root, json, rehearsal } = program.opts<{ root?: string; json?: boolean; rehearsal?: boolean }>();
  return {
    root: root === undefined ? findRoot(process.cwd()) : resolve(root),
    json: json ?? false,
    rehearsal: rehearsal ?? false,
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    out: (text) => process.stdout.write(text),
  };
}

function version(): string {
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
}
