import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository, world } from '../support/world.ts';

it('what a provider says of a row stands on no page that shows no rows', async () => {
  const files = repository();
  const w = await world(
    { ...files, 'batchwright.yaml': `${files['batchwright.yaml']}report: { keys: hashed, samples: 0 }\n` },
    {
      rules: [
        {
          on: 'line',
          do: {
            status: 400,
            code: 'unsupported_value',
            message: "Unsupported value: 'the wheel is bent' is not supported",
          },
        },
      ],
    },
  );
  await w.finish();
  const folder = join(w.root, 'state/tickets');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(md|json|csv)$/.test(name));
  expect((await w.report()).run?.stop?.reason).toBe('ProviderRejected');
  const found: string[] = [];
  for (const name of [
    ...names.map((each) => join(folder, each)).filter((each) => !each.includes('recipe')),
    join(w.root, 'state/README.md'),
  ])
    if ((await readFile(name, 'utf8')).includes('wheel is bent')) found.push(name.slice(w.root.length));
  expect(found).toEqual([]);
});
