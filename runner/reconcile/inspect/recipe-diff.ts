import { canonicalJson, type Digest, type Json } from '../../ids.ts';
import type { GenerationState, RunState } from '../../journal/state.ts';
import type { FieldChange, PartChange, TextChange } from '../../report/diff-view.ts';
import type { TextFile } from '../../spec/job.ts';
import type { Recipe } from '../recipe.ts';

/** A run with what it was made from. */
export interface MadeRun {
  readonly run: RunState;
  readonly generation: GenerationState;
  readonly recipe: Recipe;
}

/**
 * Pure: the parts of what makes a run that differ between two, each with its fields or files. Only what reaches a
 * request or chooses its rows counts, as for generations; the digests say whether, the stored recipes say what.
 */
export function recipeDiff(before: MadeRun, after: MadeRun): PartChange[] {
  const [from, to] = [before.generation.defines, after.generation.defines];
  const [one, other] = [before.run.spec, after.run.spec];
  const part = (name: PartChange['part'], digests: readonly [Digest | null, Digest | null]): PartChange => ({
    part: name,
    before: digests[0],
    after: digests[1],
    fields: [],
    texts: [],
  });
  const parts: PartChange[] = [
    { ...part('model', [from.model, to.model]), fields: fieldChanges(one.model, other.model) },
    { ...part('prompt', [from.prompt, to.prompt]), texts: textChanges(before.recipe, after.recipe) },
    {
      ...part('schema', [from.schema, to.schema]),
      fields: fieldChanges(before.recipe.schema?.sent, after.recipe.schema?.sent),
    },
    { ...part('output', [from.output, to.output]), fields: fieldChanges(outputOf(one), outputOf(other)) },
    { ...part('input', [from.input, to.input]), fields: fieldChanges(inputOf(one), inputOf(other)) },
    part('source files', [before.generation.source.digest, after.generation.source.digest]),
    { ...part('account', [null, null]), before: before.run.account, after: after.run.account },
  ];
  return parts.filter((each) => each.before !== each.after);
}

/** Fields under the names that people write, and only those that make a run (`spec/defines.ts`). */
function outputOf({ output }: RunState['spec']) {
  const { kind, maxTokens } = output;
  if (kind === 'embedding') return { kind, dimensions: output.dimensions };
  return kind === 'moderation' ? { kind } : { kind, max_tokens: maxTokens };
}

function inputOf({ input }: RunState['spec']) {
  const { sql, key, itemType, onBadRow, filenameColumn } = input;
  return { sql, key, item_type: itemType, on_bad_row: onBadRow, filename_column: filenameColumn };
}

/** More than this is another schema, not a changed one; the digests and the files tell the rest. */
const MOST_FIELDS = 40;

/** Pure: the values that differ, by JSON pointer. Lists count as one value: their places carry no names. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  return changes(before, after, '').slice(0, MOST_FIELDS);
}

function changes(before: unknown, after: unknown, path: string): FieldChange[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changes(own(before, name), own(after, name), `${path}/${escaped(name)}`),
    );
  }
  if (sameText(before, after)) return [];
  return [{ path, before: before as Json | undefined, after: after as Json | undefined }];
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sameText(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function textChanges(before: Recipe, after: Recipe): TextChange[] {
  const [from, to] = [filesOf(before), filesOf(after)];
  const roles = new Set([...from.keys(), ...to.keys()]);
  return [...roles].flatMap((role) => {
    const [one, other] = [from.get(role) ?? null, to.get(role) ?? null];
    if (one?.digest === other?.digest) return [];
    return [
      {
        role,
        before: one === null ? null : { path: one.path, digest: one.digest },
        after: other === null ? null : { path: other.path, digest: other.digest },
        linesGone: linesOnlyIn(one, other),
        linesNew: linesOnlyIn(other, one),
      },
    ];
  });
}

function filesOf({ prompts }: Recipe): Map<string, TextFile> {
  const files = new Map<string, TextFile>([['user', prompts.user]]);
  if (prompts.system !== null) files.set('system', prompts.system);
  for (const [name, file] of Object.entries(prompts.partials)) files.set(`partial ${name}`, file);
  return files;
}

/** Lines of a file beyond those that the other has as often. */
function linesOnlyIn(file: TextFile | null, other: TextFile | null): number {
  const left = new Map<string, number>();
  for (const line of linesOf(other)) left.set(line, (left.get(line) ?? 0) + 1);
  let only = 0;
  for (const line of linesOf(file)) {
    const times = left.get(line) ?? 0;
    if (times === 0) only += 1;
    else left.set(line, times - 1);
  }
  return only;
}

function linesOf(file: TextFile | null): string[] {
  if (file === null || file.text === '') return [];
  const lines = file.text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
