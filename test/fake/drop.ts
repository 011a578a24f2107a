import type { Batch } from './batch.ts';
import type { StoredFile } from './files.ts';
import type { World } from './world.ts';

/** Deletes a file at the wish of the client. */
export function deleteFile(world: World, file: StoredFile): void {
  const { id, provider } = file;
  const at = world.clock.now();
  world.files.delete(id);
  if (file.kind === 'input') world.book.inputsDeleted.push({ id, provider, at });
  else
    world.book.deleted.push({
      what: 'result_file',
      id,
      batch: file.batch,
      provider,
      at,
      deliveredWhole: file.delivered || file.lines.length === 0,
    });
}

/** Deletes a batch at the wish of the client, with whatever results it has or will have. */
export function deleteBatch(world: World, batch: Batch): void {
  const { id, provider } = batch;
  const at = world.clock.now();
  const deliveredWhole =
    batch.results?.every(({ delivered, lines }) => delivered || lines.length === 0) ?? false;
  batch.deletedAt = at;
  world.book.deleted.push({ what: 'batch', id, batch: id, provider, at, deliveredWhole });
}
