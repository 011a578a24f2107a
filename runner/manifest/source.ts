/**
 * The source of a job, for all outside this folder. Three depths of looking at it: digests (every plan), columns
 * (`validate`, `new`), rows (freezing).
 */
export { type SourceColumns, sourceColumns } from './source-columns.ts';
export { digestSources, type SourceDigests, type SourceFile, type SourceRoots } from './source-files.ts';
export { openSource, type Source } from './source-open.ts';
