import { type Duck, sqlTexts } from '../duck.ts';
import type { JobName } from '../ids.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import { withoutDropped } from '../plan/stored.ts';
import type { PassContext } from './context.ts';
import { storedPath } from './stored.ts';

/**
 * `rowBytes` for a sink: of the answer, and of the frozen row where columns are passed on. From the footers of the files, since reading a million answers only to measure them would double the
 * work.
 */
export async function rowWidth(
  ctx: PassContext,
  duck: Duck,
  job: JobName,
  withRow: boolean,
): Promise<{ answer: number; passed: number }> {
  const state = withoutDropped(ctx.journal.state, job);
  const { runs } = jobState(state, job);
  const settled = runs
    .flatMap((run) => intentsOf(state, run))
    .flatMap(({ settled: each }) => each?.outcomes ?? []);
  const parts = withRow ? runs.flatMap((run) => run.manifest.parts) : [];
  return {
    answer: await widest(duck, await pathsOf(ctx, settled), 'answer'),
    // Row and body stand in one list, and are about as long as each other.
    passed: await widest(duck, await pathsOf(ctx, parts), 'frozen'),
  };
}

function pathsOf(ctx: PassContext, files: readonly StoredFile[]): Promise<string[]> {
  return Promise.all(files.map((file) => storedPath(ctx.store, file)));
}

async function widest(duck: Duck, paths: readonly string[], column: string): Promise<number> {
  if (paths.length === 0) return 0;
  const [row] = await duck.rows<{ bytes: number }>(
    `SELECT coalesce(max(total_uncompressed_size / greatest(num_values, 1)), 0)::DOUBLE AS bytes
     FROM parquet_metadata(${sqlTexts(paths)}) WHERE path_in_schema = $column OR starts_with(path_in_schema, $column || ',')`,
    { column },
  );
  return row?.bytes ?? 0;
}
