import { sqlText, sqlTexts } from '../duck.ts';
import { jobState } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import type { ProjectionInput } from './input.ts';

/** Views over Parquet: made anew at each opening, since they hold this checkout's paths. */
export async function fileViews(input: ProjectionInput): Promise<readonly string[]> {
  const { runs } = jobState(input.state, input.job);
  return [
    `CREATE OR REPLACE VIEW manifest AS ${await manifestSelect(runs, input)}`,
    `CREATE OR REPLACE VIEW outcome AS ${await outcomeSelect(runs, input)}`,
  ];
}

async function manifestSelect(runs: readonly RunState[], input: ProjectionInput): Promise<string> {
  const selects: string[] = [];
  for (const run of runs) {
    const parts = await Promise.all(run.manifest.parts.map((part) => input.pathOf(part)));
    if (parts.length === 0) continue;
    selects.push(
      `SELECT ${run.run} AS run, ordinal, key, custom_id, input_hash, request_hash, frozen[1] AS row_json,
         frozen[2] AS body_json, body_bytes, input_tokens, problem, problem_detail FROM read_parquet(${sqlTexts(parts)})`,
    );
  }
  return selects.length === 0 ? NO_MANIFEST : selects.join(' UNION ALL ');
}

const NO_MANIFEST = `SELECT NULL::INTEGER AS run, NULL::INTEGER AS ordinal, NULL::VARCHAR AS key, NULL::VARCHAR AS custom_id,
  NULL::VARCHAR AS input_hash, NULL::VARCHAR AS request_hash, NULL::VARCHAR AS row_json, NULL::VARCHAR AS body_json,
  NULL::INTEGER AS body_bytes, NULL::INTEGER AS input_tokens, NULL::VARCHAR AS problem, NULL::VARCHAR AS problem_detail LIMIT 0`;

async function outcomeSelect(runs: readonly RunState[], input: ProjectionInput): Promise<string> {
  const selects: string[] = [];
  for (const intent of runs.flatMap((run) => run.intents).map((id) => input.state.intents[id])) {
    if (intent?.settled == null) continue;
    const path = await input.pathOf(intent.settled.outcomes);
    selects.push(
      `SELECT ${intent.run} AS run, ${intent.shard} AS shard, * FROM read_parquet(${sqlText(path)})`,
    );
  }
  // By name: files of earlier versions lack a column.
  return selects.length === 0 ? NO_OUTCOME : selects.join(' UNION ALL BY NAME ');
}

const NO_OUTCOME = `SELECT NULL::INTEGER AS run, NULL::INTEGER AS shard, NULL::INTEGER AS ordinal, NULL::VARCHAR AS class,
  NULL::VARCHAR AS cause, NULL::VARCHAR AS detail, NULL::VARCHAR AS answer, NULL::VARCHAR AS said, NULL::INTEGER AS input_tokens,
  NULL::INTEGER AS output_tokens, NULL::INTEGER AS cached_tokens, NULL::INTEGER AS reasoning_tokens, NULL::VARCHAR AS model,
  NULL::VARCHAR AS response_id, NULL::INTEGER AS cache_write_tokens LIMIT 0`;
