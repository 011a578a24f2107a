import { join } from 'node:path';
import { openDuck, sqlText } from '../../runner/duck.ts';
import type { RunState } from '../../runner/journal/state.ts';
import { linesOfFile } from '../../runner/lines.ts';
import { codecFor } from '../../runner/provider/registry.ts';
import { wireFiles } from '../../runner/reconcile/submit/wire.ts';
import type { Settings } from '../../runner/spec/settings.ts';

/**
 * A program: writes the lines of a retry, 50,000 bodies of 4 KB that stand in a manifest part in the folder argv[2] with
 * a gap among them, with the token cap argv[3] (`null`: as it is). Prints what they are, and the most memory it took,
 * in MB.
 */
const ITEMS = 50_000;
const [work = '', cap = 'null'] = process.argv.slice(2);
const part = join(work, 'part.parquet');
const duck = await openDuck({ memoryLimit: '100MB' });
await duck.run(
  `COPY (SELECT i::INTEGER AS ordinal,
     ['{}', '{"model":"gpt-5.4-mini","max_output_tokens":50,"input":"' || i || ' ' || repeat(md5(i::VARCHAR), 125) || '"}'] AS frozen
   FROM range(${ITEMS + 1}) r(i)) TO ${sqlText(part)} (FORMAT parquet, ROW_GROUP_SIZE 5000)`,
);
duck.close();
const order = {
  run: { spec: { model: { endpoint: '/v1/responses' } } } as RunState,
  provider: codecFor('openai', { providers: {} } as Settings),
  parts: [part],
  work,
};
const half = ITEMS / 2;
const shard = {
  ordinals: [[0, half - 1] as const, [half + 1, ITEMS] as const],
  count: ITEMS,
  reserveUsd: null,
  maxTokens: JSON.parse(cap) as number | null,
};
for await (const { path, wire } of wireFiles(order, [shard])) {
  const found = { bytes: wire.bytes, lines: 0, caps: new Set<string>(), isInOrder: true };
  let last = -1;
  for (const { bytes } of linesOfFile(path)) {
    const [, max = '', item] = /"max_output_tokens":(\d+),"input":"(\d+) /.exec(bytes.toString()) ?? [];
    found.lines += 1;
    found.caps.add(max);
    found.isInOrder &&= Number(item) > last;
    last = Number(item);
  }
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(JSON.stringify({ ...found, caps: [...found.caps], megabytes }));
}
