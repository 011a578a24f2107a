import { userError } from '../errors.ts';
import type { RowChoice } from '../manifest/pick.ts';
import { AnswersNotKept, tryRows } from '../reconcile/try/try.ts';
import { tryJson, tryTerminal } from '../report/try-text.ts';
import type { TryView } from '../report/try-view.ts';
import { person } from './ask.ts';
import { type Common, EXIT } from './common.ts';
import { unknownJob, withContext } from './session.ts';

export interface TryOptions extends Common {
  readonly job: string;
  /** As they were typed; null: the default. */
  readonly rows: string | null;
  readonly maxUsd: string | null;
  readonly keys: readonly string[];
}

const ROWS = 5;
/** More than a person reads, and what a synchronous price is for. */
const MOST_ROWS = 20;
const MAX_USD = 0.5;

/** Asks a few rows now and shows the answers beside those of the last run. Exit code 1 where none was answered. */
export async function runTry(options: TryOptions): Promise<number> {
  if (options.rehearsal) {
    throw userError(
      'no-rehearsal',
      '`try` asks the real provider, so it takes no --rehearsal',
      '`batchwright rehearse` runs jobs against the emulator',
    );
  }
  const choice = choiceOf(options);
  const maxUsd = maxUsdOf(options.maxUsd);
  return withContext(
    options,
    async (ctx) => {
      const loaded = ctx.repository.jobs.find(({ job }) => job.name === options.job);
      if (loaded === undefined) throw unknownJob(options.job, ctx.repository);
      const show = (view: TryView) =>
        options.out(
          options.json ? `${JSON.stringify(tryJson(view), null, 2)}\n` : tryTerminal(view, options),
        );
      const view = await tryRows(ctx, { loaded, choice, maxUsd, by: person() }).catch((error: unknown) => {
        if (error instanceof AnswersNotKept) show(error.view);
        throw error;
      });
      show(view);
      return view.rows.some(({ result }) => result.kind === 'answered') ? EXIT.ok : EXIT.error;
    },
    'append',
  );
}

function choiceOf({ rows, keys }: TryOptions): RowChoice {
  if (keys.length > MOST_ROWS) throw tooMany(keys.length);
  if (keys.length > 0) return { keys };
  const wanted = rows === null ? ROWS : Number(rows);
  if (Number.isInteger(wanted) && wanted > MOST_ROWS) throw tooMany(wanted);
  if (Number.isInteger(wanted) && wanted > 0) return { rows: wanted };
  throw userError('bad-limit', `-n takes a whole number from 1 to ${MOST_ROWS}, not ${JSON.stringify(rows)}`);
}

function tooMany(rows: number) {
  return userError(
    'bad-limit',
    `A try has at most ${MOST_ROWS} rows, not ${rows}: it costs twice what a batch does`,
    '`batchwright plan` shows what a run would cost',
  );
}

function maxUsdOf(text: string | null): number {
  const usd = text === null ? MAX_USD : Number(text);
  if (Number.isFinite(usd) && usd >= 0 && text !== '') return usd;
  throw userError('bad-limit', `--max-usd takes an amount such as 0.5, not ${JSON.stringify(text)}`);
}
