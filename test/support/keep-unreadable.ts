import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../runner/ids.ts';
import { NO_USAGE } from '../../runner/outcome/account.ts';
import { MISSING } from '../../runner/outcome/classify.ts';
import { OutcomeWriter } from '../../runner/reconcile/collect/outcomes-file.ts';
import { testFolder } from './folder.ts';
import type { World } from './world.ts';

/** The newest batch came to an end, and nothing that was downloaded of it could be understood: each row is `unreadable`. */
export async function keepUnreadable(w: World): Promise<void> {
  const ctx = await w.context();
  const intent = Object.values(ctx.journal.state.intents).at(-1);
  if (intent === undefined) throw new Error('nothing was sent');
  const folder = await testFolder();
  const path = join(folder, 'outcomes.parquet');
  const writer = new OutcomeWriter(join(folder, 'slot'));
  for (const [first, last] of intent.ordinals)
    for (let ordinal = first; ordinal <= last; ordinal += 1)
      writer.add(ordinal, {
        ...MISSING,
        class: 'unreadable',
        cause: 'the result file is none',
        detail: '<html>',
      });
  await writer.finish(path);
  await writer.discard();
  const bytes = await readFile(path);
  const name = `${intent.job}/runs/${intent.run}/outcomes-unreadable-${intent.intent}.parquet`;
  await ctx.store.putIfAbsent(name, { bytes });
  const { job, run } = intent;
  const base = { intent: intent.intent, job };
  await ctx.journal.append([
    { type: 'raw.collected', ...base, state: 'completed', files: [], gone: [], counts: null },
    {
      type: 'outcomes.settled',
      ...base,
      run,
      outcomes: { name, digest: digestOf(bytes), bytes: bytes.length },
      summary: {
        counts: { unreadable: intent.count },
        usage: NO_USAGE,
        withoutUsage: intent.count,
        models: {},
        lines: { own: 0, foreign: 0, unparsed: 0 },
      },
      usd: 0,
      wastedUsd: 0,
      collections: 1,
    },
  ]);
}
