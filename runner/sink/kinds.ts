import type { SinkSpec } from '../spec/job.ts';
import { csvSink } from './csv.ts';
import { jsonlSink } from './jsonl.ts';
import { parquetSink } from './parquet.ts';
import type { SinkFactory } from './port.ts';

/** Every kind that a job may name, and what makes its sink. */
export const SINK_KINDS: Readonly<Record<SinkSpec['kind'], SinkFactory>> = {
  parquet: parquetSink,
  jsonl: jsonlSink,
  csv: csvSink,
};
