import type { BatchView } from '../../journal/batch.ts';
import type { RawFile } from '../../journal/events.ts';
import type { Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { DownloadFailed, keepRaw } from '../raw.ts';

/** What a look at a batch's files has brought. */
export interface Fetched {
  readonly files: readonly RawFile[];
  /** Named by the provider, which says that it does not have them. */
  readonly gone: readonly RawFile['kind'][];
}

/**
 * Both files of an ended batch, into the store.
 * @throws DownloadFailed where one could not be had whole, and may be had later
 */
export async function fetchFiles(
  ctx: PassContext,
  provider: Provider,
  batch: BatchView,
  folder: string,
  work: string,
): Promise<Fetched> {
  const files: RawFile[] = [];
  const gone: RawFile['kind'][] = [];
  const remotes = [
    { kind: 'output' as const, id: batch.outputFileId },
    { kind: 'error' as const, id: batch.errorFileId },
  ];
  for (const { kind, id } of remotes) {
    if (id === null) continue;
    const file = await keepRaw(provider, ctx.store, { kind, id }, folder, work).catch((error: unknown) => {
      if (error instanceof DownloadFailed && error.isGone) return null;
      throw error;
    });
    if (file === null) gone.push(kind);
    else files.push(file);
  }
  return { files, gone };
}
