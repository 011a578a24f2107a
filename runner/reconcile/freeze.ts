import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JournalEvent } from '../journal/events.ts';
import { jobState } from '../journal/fold.ts';
import type { Manifest, StoredFile } from '../manifest/manifest.ts';
import { generationDigest } from '../plan/generation.ts';
import type { PassContext } from './context.ts';
import type { Draft } from './draft.ts';
import { putFile } from './raw.ts';
import { putRecipe, recipeCheck, recipeOf, runFolder } from './recipe.ts';

/** Puts the draft's files, then tells the journal: from here on the run reads nothing else. */
export async function freezeRun(ctx: PassContext, draft: Draft): Promise<void> {
  const { action, account } = draft;
  const { loaded } = action;
  const folder = runFolder(action);
  const manifest = await putManifest(ctx, draft, folder);
  const made = recipeOf(loaded);
  const recipe = await putRecipe(ctx.store, made, folder);
  const { digest, files, bytes } = draft.digests;
  const source = { digest, files, bytes };
  const generation = generationDigest(loaded.defines, source, account.id);
  const events: JournalEvent[] = [];
  if (jobState(ctx.journal.state, action.job).generations.at(-1)?.digest !== generation) {
    events.push({
      type: 'generation.observed',
      job: action.job,
      generation: action.generation,
      digest: generation,
      defines: loaded.defines,
      source,
      commit: ctx.commit,
    });
  }
  events.push({
    type: 'run.frozen',
    job: action.job,
    run: action.run,
    generation: action.generation,
    account: account.id,
    emulator: account.emulator,
    manifest,
    estimate: draft.size.estimate,
    price: draft.price,
    spec: loaded.job,
    recipe,
    check: recipeCheck(made),
    reason: action.reason,
    commit: ctx.commit,
    dirty: ctx.dirty,
  });
  await ctx.journal.append(events);
}

async function putManifest(ctx: PassContext, draft: Draft, folder: string): Promise<Manifest> {
  const parts: StoredFile[] = [];
  for (const [index, part] of draft.manifest.parts.entries()) {
    const number = String(index).padStart(4, '0');
    const nameOf = (digest: string) => `${folder}/manifest-${number}-${digest}.parquet`;
    parts.push(await putFile(ctx.store, nameOf, part.path, part));
  }
  const first = draft.manifest.parts[0];
  if (first !== undefined) await rm(dirname(first.path), { recursive: true, force: true });
  const { digest, items, setAside, columns } = draft.manifest;
  return { digest, items, setAside, parts, columns };
}
