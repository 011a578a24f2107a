import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { dispositionCounts } from '../../runner/ledger/books.ts';
import { openLedger } from '../../runner/ledger/ledger.ts';
import { NO_USAGE } from '../../runner/outcome/account.ts';
import { testFolder } from '../support/folder.ts';
import { accepted, frozen, intent, intentId, JOB, settled, stateOf } from '../support/journal.ts';

const PART = { name: 'tickets/runs/1/manifest.parquet', digest: 'm' as never, bytes: 1 };
const RUN = frozen({
  manifest: { digest: 'm' as never, items: 2, setAside: 0, parts: [PART], columns: ['id'] },
});

async function file(folder: string, name: string, columns: string, rows: readonly string[]): Promise<void> {
  const duck = await openDuck();
  await duck.run(
    `COPY (SELECT ordinal::INTEGER AS ordinal, * EXCLUDE (ordinal) FROM (VALUES ${rows.join(', ')}) AS v(${columns})) TO ${sqlText(join(folder, name))} (FORMAT parquet)`,
  );
  duck.close();
}

const outcomes = (folder: string, n: number | string, classes: readonly string[]) =>
  file(
    folder,
    `outcomes-${n}.parquet`,
    'ordinal, class, cause, detail, answer, input_tokens, output_tokens, cached_tokens, reasoning_tokens, model, response_id',
    classes.map(
      (of, at) => `(${at}, '${of}', 'cause', NULL, ${of === 'ok' ? `'"a"'` : 'NULL'}, 10, 5, 0, 0, 'm', 'r')`,
    ),
  );

it.each(['unknown_stop', 'conflict', 'truncated'])(
  'a retry that was asked for before a row was read does not pay again for what it is read as: %s',
  async (of) => {
    const folder = await testFolder();
    await file(
      folder,
      'manifest.parquet',
      'ordinal, key, custom_id, input_hash, request_hash, frozen, body_bytes, input_tokens, problem, problem_detail',
      ['a', 'b'].map(
        (request, ordinal) =>
          `(${ordinal}, 'k${ordinal}', 'id${ordinal}', 'h', '${request.repeat(32)}', ['{}', '{}'], 9, 3, NULL, NULL)`,
      ),
    );
    await outcomes(folder, 1, ['ok', 'unreadable']);
    await outcomes(folder, '1b', ['ok', of]);
    const revised: JournalEvent = {
      type: 'outcomes.revised',
      intent: intentId(1),
      job: JOB.name,
      run: 1,
      check: null,
      outcomes: { name: 'tickets/runs/1/outcomes-1b.parquet', digest: 'r' as never, bytes: 1 },
      summary: {
        counts: { ok: 1, [of]: 1 },
        usage: NO_USAGE,
        withoutUsage: 0,
        models: {},
        lines: { own: 2, foreign: 0, unparsed: 0 },
      },
      usd: 1,
      wastedUsd: 0,
      why: 'results',
      collections: 2,
    };
    const retry: JournalEvent = {
      type: 'retry.asked',
      job: JOB.name,
      run: 1,
      classes: ['invalid_output', 'truncated', 'unknown_stop', 'conflict', 'provider_error'],
      by: 'x',
    };
    const state = stateOf(
      [RUN],
      [intent(1, { ordinals: [[0, 1]], count: 2 })],
      [accepted(1)],
      [settled(1, {})],
      [retry],
      [revised],
    );
    const pathOf = async ({ name }: { readonly name: string }) => join(folder, name.split('/').at(-1) ?? '');
    const ledger = await openLedger({
      job: JOB.name,
      state,
      path: join(folder, 'ledger.duckdb'),
      work: folder,
      pathOf,
      provenPathOf: pathOf,
      proveFiles: async () => {},
      retry: JOB.retry,
      sinks: ['parquet:out/tickets.parquet'],
      withdrawn: false,
    });
    expect(await dispositionCounts(ledger.duck, 1)).toEqual({ valid_not_applied: 1, held: 1 });
    ledger.close();
  },
);
