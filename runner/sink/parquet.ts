import { fileSink } from './file.ts';
import type { SinkFactory } from './port.ts';

/**
 * Typed columns, NULL as NULL, zstd. Row groups of 10,000: DuckDB's default of 122,880 costs 490 MB while writing,
 * which no memory limit covers.
 */
export const parquetSink: SinkFactory = (path) =>
  fileSink(path, {
    kind: 'parquet',
    form: 'columns',
    copyOptions: 'FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10000',
  });
