import type { JsonObject } from '../../ids.ts';
import type { RawFile } from '../../journal/events.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import type { StoredFile } from '../../manifest/manifest.ts';
import { type Classified, classify, MISSING } from '../../outcome/classify.ts';
import { unseenIn } from '../../outcome/failed-batch.ts';
import type { Codec } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { putFile } from '../raw.ts';
import { answerRules, runFolder } from '../recipe.ts';
import type { Beside } from './beside.ts';
import { type Settled, settleRaw } from './settle.ts';

export interface ReadOrder {
  readonly intent: IntentState;
  readonly run: RunState;
  readonly provider: Pick<Codec, 'decode'>;
  /** The whole schema that answers are held against; null for free text. */
  readonly schema: JsonObject | null;
  /** Local paths, every complete download of the batch. */
  readonly rawFiles: readonly string[];
  readonly countMissing: boolean;
  /** How lines are judged where another batch may have answered the same items; null where none can have. */
  readonly beside: Beside | null;
  /** A folder of the caller's own. */
  readonly work: string;
}

/** What became of each item of an intent, by its raw files and the check. The same files and check, the same outcomes. */
export function readOutcomes(order: ReadOrder): Promise<Settled> {
  const { intent, run, provider, schema, rawFiles, countMissing, beside, work } = order;
  const rules = answerRules(run, schema);
  const { endpoint } = run.spec.model;
  const unseen = unseenOf(intent);
  return settleRaw({
    rawFiles,
    intent: intent.secondOf ?? intent.intent,
    ordinals: intent.ordinals,
    decode: (line) => provider.decode(endpoint, line),
    classify: (reply) => classify(reply, rules),
    countMissing,
    work,
    ...(unseen === null ? {} : { unseen }),
    ...(beside === null ? {} : { beside }),
  });
}

function unseenOf(intent: IntentState) {
  if (intent.lost !== null) return () => GIVEN_UP;
  if (isLost(intent)) return () => LOST;
  return intent.batch === null ? null : unseenIn(intent.batch, intent.ordinals);
}

export function isLost({ collections }: IntentState): boolean {
  return collections.some(({ lost }) => lost.length > 0);
}

/** Held and not missing: another try is a second payment, which only a person may order. */
const LOST: Classified = { ...MISSING, class: 'conflict', cause: 'its result is gone at the provider' };

/** What it may have cost stays reserved, as for any row that is missing. */
const GIVEN_UP: Classified = { ...MISSING, cause: 'a person has given its batch up' };

/** Every file of every complete download, each once. */
export function rawFilesOf({ collections }: IntentState): RawFile[] {
  const files = collections.flatMap((collection) => collection.files);
  return [...new Map(files.map((file) => [file.stored.name, file])).values()];
}

export function putOutcomes(ctx: PassContext, intent: IntentState, settled: Settled): Promise<StoredFile> {
  return putFile(
    ctx.store,
    (name) => `${runFolder(intent)}/outcomes-${intent.intent}-${name}.parquet`,
    settled.outcomesPath,
  );
}
