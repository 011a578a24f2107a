import type { RawFile } from '../../journal/events.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import type { StoredFile } from '../../manifest/manifest.ts';
import { judgeAbsent } from '../../outcome/absent-rows.ts';
import { type Classified, classify } from '../../outcome/classify.ts';
import type { Codec } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { putFile } from '../raw.ts';
import { answerRules, type Recipe, runFolder } from '../recipe.ts';
import type { Beside } from './beside.ts';
import { type RawPath, type Settled, settleRaw } from './settle.ts';

export interface ReadOrder {
  readonly intent: IntentState;
  readonly run: RunState;
  readonly provider: Pick<Codec, 'decode' | 'profile'>;
  /** The recipe in force: what answers are held against. */
  readonly recipe: Recipe;
  /** Where a raw file lies: as it was downloaded, or as it is stored. */
  readonly pathOf: (file: RawFile) => Promise<string>;
  /** How far apart two looks at the same files must be. */
  readonly apartMs: number;
  /** How lines are judged where another batch may have answered the same items; null where none can have. */
  readonly beside: Beside | null;
  /** A folder of the caller's own. */
  readonly work: string;
}

/** What became of each item of an intent, by its raw files and the check. The same files and check, the same outcomes. */
export async function readOutcomes(order: ReadOrder): Promise<Settled> {
  const { intent, run, provider, recipe, apartMs, beside, work } = order;
  const rules = answerRules(run, recipe);
  const { endpoint } = run.spec.model;
  return settleRaw({
    rawFiles: await rawPaths(intent, order.pathOf),
    intent: intent.secondOf ?? intent.intent,
    ordinals: intent.ordinals,
    decode: (line) => provider.decode(endpoint, line),
    classify: (reply) => withoutHope(intent, classify(reply, rules)),
    absent: (read) => judgeAbsent(intent, provider.profile.kind, read, apartMs).rowOf,
    work,
    ...(beside === null ? {} : { beside }),
  });
}

/** What could not be understood until its provider's copy went is not looked at again: `reprocess` may read it, or nobody. */
function withoutHope({ resultsLost }: IntentState, row: Classified): Classified {
  return resultsLost !== null && row.class === 'unreadable' ? { ...row, class: 'lost' } : row;
}

/** Every file of every look, each once, in the order in which they came. */
export function rawFilesOf({ collections }: Pick<IntentState, 'collections'>): RawFile[] {
  const files = collections.flatMap((collection) => collection.files);
  return [...new Map(files.map((file) => [file.stored.name, file])).values()];
}

async function rawPaths(intent: IntentState, pathOf: ReadOrder['pathOf']): Promise<RawPath[]> {
  const shown = new Set(intent.collections.at(-1)?.files.map((file) => file.stored.name));
  const paths: RawPath[] = [];
  for (const file of rawFilesOf(intent)) {
    const isLast = shown.has(file.stored.name);
    paths.push({ path: await pathOf(file), download: firstLookAt(intent, file), isLast });
  }
  return paths;
}

function firstLookAt({ collections }: IntentState, { stored }: RawFile): number {
  return collections.findIndex(({ files }) => files.some((file) => file.stored.name === stored.name));
}

/** @param path of an outcomes file, which is gone afterwards */
export function putOutcomes(ctx: PassContext, intent: IntentState, path: string): Promise<StoredFile> {
  return putFile(ctx.store, (name) => `${runFolder(intent)}/outcomes-${intent.intent}-${name}.parquet`, path);
}
