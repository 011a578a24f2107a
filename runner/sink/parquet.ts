import { fileSink } from './file.ts';
import type { SinkFactory } from './port.ts';

/** Typed columns, NULL as NULL, zstd. */
export const parquetSink: SinkFactory = (path) =>
  fileSink(path, {
    kind: 'parquet',
    form: 'columns',
    copyOptions: (rowGroup) => `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroup}`,
  });
